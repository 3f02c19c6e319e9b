// The page of one or several runs.
export {};
