/** Marks that are drawn as one, because they are too close to each other. */
export interface MarkGroup<T> {
  /** Position of the first mark, in pixels. */
  readonly left: number;
  /** Pixels up to the next group, or to the end. */
  readonly room: number;
  readonly items: readonly T[];
}

/** Groups marks that are closer to each other than a distance in pixels. */
export function placeMarks<T>(
  items: readonly T[],
  leftOf: (item: T) => number,
  { distance, width }: { readonly distance: number; readonly width: number },
): MarkGroup<T>[] {
  const groups: { left: number; items: T[] }[] = [];
  const placed = items.map((item) => ({ item, left: leftOf(item) })).sort((one, other) => one.left - other.left);
  for (const { item, left } of placed) {
    const last = groups.at(-1);
    if (last && left - last.left < distance) last.items.push(item);
    else groups.push({ left, items: [item] });
  }
  return groups.map((group, at) => ({ ...group, room: (groups[at + 1]?.left ?? width) - group.left }));
}
