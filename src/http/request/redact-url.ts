/** Names of query parameters with secrets, in lower case and without punctuation. */
const secretNames = new Set([
  'accesstoken',
  'apikey',
  'assertion',
  'auth',
  'authorization',
  'clientsecret',
  'code',
  'codeverifier',
  'credential',
  'credentials',
  'idtoken',
  'idtokenhint',
  'jwt',
  'nonce',
  'passphrase',
  'passwd',
  'password',
  'pwd',
  'refreshtoken',
  'secret',
  'session',
  'sessionid',
  'sig',
  'signature',
  'state',
  'token',
]);

/** Path of the link in a mail that unsubscribes its reader; the rest of the path is a token. */
const unsubscribePath = '/unsubscribe/';

/**
 * Replaces secrets in a URL: the values of parameters that usually carry them, the token of a link that unsubscribes,
 * and user names with passwords.
 */
export function redactUrl(url: string): string {
  const at = url.indexOf('?');
  const [path, query] = at < 0 ? [url, undefined] : [url.slice(0, at), url.slice(at + 1)];
  const withoutUser = path.includes('@') ? path.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/@]*@/i, '$1//***@') : path;
  const shown = redactToken(withoutUser);
  return query === undefined ? shown : `${shown}?${query.split('&').map(redactParameter).join('&')}`;
}

function redactToken(path: string): string {
  const at = path.toLowerCase().indexOf(unsubscribePath);
  return at < 0 ? path : `${path.slice(0, at + unsubscribePath.length)}***`;
}

function redactParameter(parameter: string): string {
  const equals = parameter.indexOf('=');
  if (equals < 0) return parameter;
  const name = parameter.slice(0, equals);
  return secretNames.has(plainName(name)) ? `${name}=***` : parameter;
}

function plainName(name: string): string {
  if (/^[a-z]*$/.test(name)) return name;
  let decoded = name;
  try {
    decoded = decodeURIComponent(name);
  } catch {
    // A name that cannot be decoded is used as it was sent.
  }
  return decoded.toLowerCase().replace(/[^a-z]/g, '');
}
