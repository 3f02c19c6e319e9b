// The studio: a local page in which models are written, run and compared.

import { Link } from "./link";
import { Studio } from "./studio";
import "./studio.css"; // last: it stands above the styles of its parts

/** The theme that was chosen here before; nothing where none was, or nothing may be kept. */
function chosen(): string | null {
  try {
    return localStorage.getItem("alembert theme");
  } catch {
    return null;
  }
}
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => (document.documentElement.dataset.theme = chosen() ?? (dark.matches ? "dark" : "light"));
follow();
dark.addEventListener("change", follow);
const address = new URL("socket", location.href);
address.protocol = "ws:";
let studio: Studio | undefined;
const link = new Link(address.href, (now) => studio?.connected(now));
studio = new Studio(document.body, link);
void studio.begin();
// For those who drive a browser: the page's own state, to read.
(window as any).studio = studio;
