import { Fault, quoted } from '../kernel/fault.js';

/** A host that no address can name, so that one which leaves it is noticed. */
const here = 'http://here.invalid';

/**
 * The path on this site that a browser may be sent to after its sign-in, as it goes into a header.
 * @throws Fault invalid `auth.bad-return-path` for what is, or may be read as, an address of another site
 */
export function parseReturnPath(text: string): string {
  // Browsers drop tabs and line ends, and take a backslash for a slash.
  if (/^\/(?!\/)[^\\\p{Cc}]*$/u.test(text) && URL.canParse(text, here)) {
    const { origin, href } = new URL(text, here);
    const path = href.slice(here.length);
    if (origin === here && /^\/(?!\/)/.test(path)) return path;
  }
  throw new Fault(
    'invalid',
    'auth.bad-return-path',
    `${quoted(text)} is no path on this site. returnTo must look like /path.`,
  );
}
