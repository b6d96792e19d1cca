/** A random sample of the offered items, each with the same probability. */
export class Sample<T> {
  readonly items: T[] = [];
  private offered = 0;

  constructor(private readonly size: number) {}

  offer(item: T): void {
    this.offered += 1;
    if (this.items.length < this.size) {
      this.items.push(item);
      return;
    }
    const place = Math.floor(Math.random() * this.offered);
    if (place < this.size) this.items[place] = item;
  }
}
