import { inBytes, limitFault } from './limit.js';

/** Size of a stored list that is sent as a whole. */
export interface ListSize {
  readonly items: number;
  /** Total size of the items as JSON. */
  readonly bytes: number;
}

/** Maximum size of such a list. */
export interface ListLimits {
  readonly maxItems: number;
  readonly maxBytes: number;
}

/** Names of the list for a refusal. */
interface NamedList {
  /** Name with article, such as `the list of tags`. */
  readonly name: string;
  readonly codes: { readonly full: string; readonly tooLarge: string };
  readonly itemsSetting: string;
  readonly bytesSetting: string;
  readonly advice: string;
}

/**
 * Refuses a change by which a list would exceed its limits. A list that already exceeds them may change or shrink, but
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
