/** Query parameters as received: names in any case, with an array for the values of a repeated parameter. */
export type SearchParams = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Lists the values of the parameter `name`, given in lower case, under all its spellings. */
export function listValues(params: SearchParams, name: string): string[] {
  return Object.entries(params)
    .filter(([spelling]) => spelling.trim().toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
}

/** Returns the last value of a parameter that may be repeated, without surrounding spaces; undefined when absent. */
export function lastValue(value: string | readonly string[] | undefined): string | undefined {
  return (typeof value === 'string' ? value : value?.at(-1))?.trim();
}
