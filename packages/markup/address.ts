/** Schemes whose addresses contain no slashes. */
const scheme = /^(?:mailto|tel|sips?|sms|xmpp|urn|doi|news|geo):./i;
const location = /^(?:[a-z][a-z0-9+.-]*:\/\/.|[#?/]|\.{1,2}\/)/i;
/** A relative path, a file or a host: `attachment/1`, `trip.csv`, `example.org?a`. */
const relative = /^[\w.~%+-]+(?:\/|\.[a-z]\w+(?:[?#]|$))/i;

/**
 * Whether a link target can be an address. CommonMark accepts any word as a target: it would read `f[0](x)` and
 * `[12:03]: tripped` as links, and not show the target.
 */
export function isAddress(target: string): boolean {
  return location.test(target) || scheme.test(target) || relative.test(target);
}
