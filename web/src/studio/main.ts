// The studio: a local page in which models are written, run and compared.

import "./studio.css";
import { Link } from "./link";
import { Studio } from "./studio";

const address = new URL("socket", location.href);
address.protocol = "ws:";
let studio: Studio | undefined;
const link = new Link(address.href, (now) => studio?.connected(now));
studio = new Studio(document.body, link);
void studio.begin();
// For those who drive a browser: the page's own state, to read.
(window as any).studio = studio;
