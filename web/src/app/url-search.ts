/** The parameters of a URL: always text, never guessed to be numbers or JSON. A repeated one is a list. */
export type UrlSearch = Record<string, string | string[]>;

export function parseSearch(text: string): UrlSearch {
  const params = new URLSearchParams(text);
  const search: UrlSearch = {};
  for (const key of new Set(params.keys())) {
    const [first = '', ...others] = params.getAll(key);
    search[key] = others.length === 0 ? first : [first, ...others];
  }
  return search;
}

/** Writes the parameters in a readable form; leaves out undefined ones. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(search)
    .filter(([, value]) => value !== undefined && value !== null)
    .flatMap(([key, value]) => [value].flat().map((one) => `${encode(key)}=${encode(String(one))}`));
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Percent-encodes characters with a meaning in a query string; writes `+` for a space, as forms do. */
function encode(text: string): string {
  return encodeURIComponent(text)
    .replace(/%20/g, '+')
    .replace(/%(3A|2C|3B|40|2F|7B|7D|7C)/g, (code) => keptReadable[code] ?? code);
}

const keptReadable: Readonly<Record<string, string>> = { '%3A': ':', '%2C': ',', '%3B': ';', '%40': '@', '%2F': '/' };
