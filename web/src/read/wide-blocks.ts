/** Blocks of code and tables of a text. The keyboard can focus and scroll those that are wider than the text. */
export class WideBlocks {
  private readonly observer = new ResizeObserver((entries) => {
    const blocks = entries.map(({ target }) => target as HTMLElement);
    // All of them are measured before the first one changes, so that the page is laid out once.
    const wide = blocks.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
    for (const block of wide) {
      block.tabIndex = 0;
      this.observer.unobserve(block);
    }
  });

  /** Adds the blocks in this part of a page. */
  add(place: ParentNode): void {
    for (const block of place.querySelectorAll('pre, .table-scroll')) this.observer.observe(block);
  }

  close(): void {
    this.observer.disconnect();
  }
}
