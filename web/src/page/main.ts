// The page of one or several runs: its data stand in the page itself.

import { Stage, StageData } from "../shared/stage";

function start(): void {
  const place = document.getElementById("alembert");
  const text = document.getElementById("alembert-data")?.textContent;
  if (!place || !text) return;
  const stage = new Stage(place, JSON.parse(text) as StageData);
  // For whoever looks behind the page: the console, and tests.
  (window as unknown as { alembert: Stage }).alembert = stage;
}

start();
