import type { FastifyRequest } from 'fastify';
import { isTrustedOrigin, originNotAllowed } from '../access/authorize-request.js';

/**
 * Returns whether a GET request to sign out comes from a program or a page of the service, and so needs no
 * confirmation. Without this check, a link or an image in any page, mail or entry could sign out its readers.
 * @throws Fault forbidden `auth.origin-not-allowed` for a script of another site
 */
export function mayLogOutByGet(request: FastifyRequest, corsOrigins: readonly string[]): boolean {
  const { origin, referer, accept = '', ...headers } = request.headers;
  if (origin !== undefined) {
    if (isTrustedOrigin(request, origin, corsOrigins)) return true;
    throw originNotAllowed(origin);
  }
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' && isCallOrPage(headers['sec-fetch-dest']);
  // Browsers omit the headers above over plain HTTP. Programs send none of the following.
  if (accept.startsWith('image/')) return false;
  if (referer !== undefined) return isTrustedOrigin(request, originOf(referer), corsOrigins);
  return headers['upgrade-insecure-requests'] === undefined;
}

/** Returns false for images, frames and other resources that a page loads. */
function isCallOrPage(destination: string | string[] | undefined): boolean {
  return destination === undefined || destination === 'empty' || destination === 'document';
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : '';
}

/** Whether a browser sends the form of `logoutPage`. */
export function isForm({ headers }: FastifyRequest): boolean {
  return (headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
}

/** Asks whether to sign out. The form posts to the address of the page itself. */
export const logoutPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign out – Logbook</title>
<link rel="icon" href="/favicon.ico">
<style>body{font:16px/1.5 system-ui,sans-serif;margin:3rem auto;max-width:40rem;padding:0 1rem}
button{font:inherit;padding:.4rem 1rem}</style>
</head>
<body>
<h1>Sign out</h1>
<p>A link has brought you here. Do you want to sign out of the logbook?</p>
<form method="post"><button>Sign out</button></form>
<p><a href="/">Back to the logbook</a></p>
</body>
</html>
`;
