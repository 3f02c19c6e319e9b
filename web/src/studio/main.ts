// The studio: a local page in which models are written, run and compared.

import { Link } from "./link";
import { Studio } from "./studio";
import "./studio.css"; // last: it stands above the styles of its parts

try {
  const theme = localStorage.getItem("alembert theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // as the system says
}
const address = new URL("socket", location.href);
address.protocol = "ws:";
let studio: Studio | undefined;
const link = new Link(address.href, (now) => studio?.connected(now));
studio = new Studio(document.body, link);
void studio.begin();
// For those who drive a browser: the page's own state, to read.
(window as any).studio = studio;
