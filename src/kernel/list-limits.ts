import { inBytes, limitFault } from './limit.js';

/** The size of a stored list that is sent as a whole. */
export interface ListSize {
  readonly items: number;
  /** Size of the JSON of all items. */
  readonly bytes: number;
}

/** Maximum size of such a list. */
export interface ListLimits {
  readonly maxItems: number;
  readonly maxBytes: number;
}

/** Names of the list in a refusal. */
interface NamedList {
  /** Such as `the list of tags`. */
  readonly name: string;
  readonly codes: { readonly full: string; readonly tooLarge: string };
  readonly itemsSetting: string;
  readonly bytesSetting: string;
  readonly advice: string;
}

/**
 * Refuses a change that would make a list exceed its limits. A list that already exceeds them may change or shrink, but
 * not grow.
 * @throws Fault conflict `….list-full`, `….list-too-large`
 */
export function checkGrowth(
  { name, codes, itemsSetting, bytesSetting, advice }: NamedList,
  { before, after }: { readonly before: ListSize; readonly after: ListSize },
  { maxItems, maxBytes }: ListLimits,
): void {
  if (after.items > maxItems && after.items > before.items) {
    throw limitFault('conflict', codes.full, {
      refused: `With this request, ${name} would have ${after.items} items; nothing was stored.`,
      limit: { amount: `${maxItems} items`, setting: itemsSetting, countedFor: name },
      advice,
    });
  }
  if (after.bytes > maxBytes && after.bytes > before.bytes) {
    throw limitFault('conflict', codes.tooLarge, {
      refused: `With this request, ${name} would take ${inBytes(after.bytes)}; nothing was stored.`,
      limit: { amount: inBytes(maxBytes), setting: bytesSetting, countedFor: name },
      advice,
    });
  }
}
