// The studio: a local page in which models are written, run and compared.
export {};
