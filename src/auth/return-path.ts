import { Fault, quoted } from '../kernel/fault.js';

/** An origin that no real address has. It reveals a path that leads to another origin. */
const here = 'http://here.invalid';

/**
 * Returns the path on this site to which a browser may be redirected after its sign-in, encoded for a header.
 * @throws Fault invalid `auth.bad-return-path` for an address that is on another site, or that a browser may treat as
 *   such
 */
export function parseReturnPath(text: string): string {
  // Browsers drop tabs and line ends, and treat a backslash as a slash.
  if (/^\/(?!\/)[^\\\p{Cc}]*$/u.test(text) && URL.canParse(text, here)) {
    const { origin, href } = new URL(text, here);
    const path = href.slice(here.length);
    if (origin === here && /^\/(?!\/)/.test(path)) return path;
  }
  throw new Fault(
    'invalid',
    'auth.bad-return-path',
    `${quoted(text)} is not a path on this site. returnTo must look like /path.`,
  );
}
