/** Stores many pairs of a list and an entry without an object for each. */
export class TermEntries {
  private lists = new Uint32Array(1_024);
  private ids = new Uint32Array(1_024);
  length = 0;

  add(list: number, entryId: number): void {
    if (this.length === this.lists.length) {
      this.lists = twice(this.lists);
      this.ids = twice(this.ids);
    }
    this.lists[this.length] = list;
    this.ids[this.length++] = entryId;
  }

  grouped(lists: number): GroupedEntries {
    const ends = new Uint32Array(lists + 1);
    for (let at = 0; at < this.length; at++) increase(ends, (this.lists[at] as number) + 1, 1);
    for (let list = 0; list < lists; list++) increase(ends, list + 1, ends[list] as number);
    const next = ends.slice();
    const sorted = new Uint32Array(this.length);
    for (let at = 0; at < this.length; at++) {
      const list = this.lists[at] as number;
      const place = next[list] as number;
      sorted[place] = this.ids[at] as number;
      next[list] = place + 1;
    }
    return {
      count: (list) => (ends[list + 1] as number) - (ends[list] as number),
      ascending: (list) => sorted.subarray(ends[list], ends[list + 1]).sort(),
    };
  }
}

export interface GroupedEntries {
  readonly count: (list: number) => number;
  /** Returns the entries of a list in ascending order. */
  readonly ascending: (list: number) => Uint32Array;
}

function increase(numbers: Uint32Array, at: number, by: number): void {
  numbers[at] = (numbers[at] as number) + by;
}

export function twice(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(numbers.length * 2);
  longer.set(numbers);
  return longer;
}
