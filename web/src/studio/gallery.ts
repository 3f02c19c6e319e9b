// The models that can be opened: the user's, and those of the gallery, with small pictures.

import { element } from "../shared/text";
import type { Link } from "./link";

export interface Entry {
  name?: string; // of the gallery
  path?: string; // below the folder
  title: string;
}

/** Draws what the program said about a model into a picture; an address of it, or "" where there is nothing to see. */
export type Draw = (data: any) => Promise<string>;

export class Gallery {
  private dialog = element("dialog", "gallery");
  private list = element("div", "cards");
  private find = element("input");
  private pictures = new Map<string, string>();
  private queue: { key: string; entry: Entry; place: HTMLElement }[] = [];
  private busy = false;
  private watcher: IntersectionObserver;

  constructor(
    private link: Link,
    private draw: Draw,
    private open: (entry: Entry) => void,
  ) {
    const head = element("div", "head");
    this.find.type = "search";
    this.find.placeholder = "find a model";
    this.find.setAttribute("aria-label", "find a model");
    this.find.addEventListener("input", () => this.filter());
    const close = element("button", "", "Close");
    close.type = "button";
    close.addEventListener("click", () => this.dialog.close());
    head.append(element("h2", "", "Models"), this.find, close);
    this.dialog.append(head, this.list);
    document.body.append(this.dialog);
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
    this.watcher = new IntersectionObserver((seen) => {
      for (const one of seen) {
        if (!one.isIntersecting) continue;
        this.watcher.unobserve(one.target);
        (one.target as any).wanted?.();
      }
    });
  }

  async show(): Promise<void> {
    if (!this.dialog.open) this.dialog.showModal();
    const found = await this.link.ask("list").answer;
    this.list.replaceChildren();
    this.section("In your folder", found.files, "No .alm file yet: write a model, and save it.");
    this.section("Gallery", found.gallery, "");
    this.filter();
  }

  private section(title: string, entries: Entry[], empty: string): void {
    this.list.append(element("h3", "", title));
    if (!entries.length) this.list.append(element("p", "quiet", empty));
    for (const entry of entries) this.list.append(this.card(entry));
  }

  private card(entry: Entry): HTMLElement {
    const card = element("button", "card");
    card.type = "button";
    const picture = element("div", "picture");
    card.append(picture, element("strong", "", entry.title || entry.name || entry.path), element("span", "quiet", entry.path ?? entry.name));
    card.addEventListener("click", () => {
      this.dialog.close();
      this.open(entry);
    });
    const key = entry.path ? `file ${entry.path}` : `gallery ${entry.name}`;
    const known = this.pictures.get(key);
    if (known !== undefined) this.put(picture, known);
    else {
      (card as any).wanted = () => {
        this.queue.push({ key, entry, place: picture });
        void this.work();
      };
      this.watcher.observe(card);
    }
    return card;
  }

  private put(place: HTMLElement, address: string): void {
    if (!address) return;
    const image = element("img");
    image.alt = "";
    image.src = address;
    place.replaceChildren(image);
  }

  /** One after the other: pictures are not in a hurry. */
  private async work(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      const { key, entry, place } = next;
      if (!this.dialog.open) {
        this.queue = [];
        break;
      }
      try {
        const data = await this.link.ask("picture", entry.path ? { path: entry.path } : { gallery: entry.name }).answer;
        const address = await this.draw(data);
        // What is in the folder may change; the gallery does not.
        if (!entry.path) this.pictures.set(key, address);
        this.put(place, address);
      } catch {
        place.append(element("span", "quiet", "no picture"));
      }
    }
    this.busy = false;
  }

  private filter(): void {
    const wanted = this.find.value.trim().toLowerCase();
    for (const card of this.list.querySelectorAll<HTMLElement>(".card"))
      card.hidden = wanted !== "" && !card.textContent!.toLowerCase().includes(wanted);
  }
}
