import { parseHostName, parseOrigin, parseProxy, parsePublicUrl, parseRootPath } from './setting-parsers.js';
import { file, flag, list, optional, optionalText, port, setting, text } from './setting-types.js';

/** Settings for addresses, TLS, proxies and requests of other sites. */
export const listenerSettings = {
  host: text('ADDRESS', '127.0.0.1', 'Address to listen on. 0.0.0.0: all interfaces. Loopback: this machine only.'),
  httpPort: port('8080', 'Port of the plain HTTP listener; 0 selects a free port, off turns it off.'),
  httpsPort: port('8181', 'Port of the TLS listener; 0 selects a free port, off turns it off.'),
  rootPath: setting('PATH', '/logbook', 'First part of every API path.', parseRootPath),
  rootPathAliases: list(
    'PATHS',
    '/Olog',
    'Further paths below which the API answers, comma-separated, such as the path of existing clients.',
    parseRootPath,
  ),
  publicUrl: optional(
    'URL',
    'URL under which users reach the service, for links: https://log.example.org. Empty: notifications and exports have no links.',
    parsePublicUrl,
  ),
  allowedHosts: list(
    'NAMES',
    '',
    'Host names under which users reach the service, besides those of this machine, comma-separated; links in feeds and sign-ins use no others. Not needed with publicUrl.',
    parseHostName,
  ),
  corsOrigins: list(
    'ORIGINS',
    'http://localhost:3000',
    'Origins of web pages that may call the API from a browser; comma-separated.',
    parseOrigin,
  ),
  trustedProxies: list(
    'ADDRESSES',
    '',
    'Addresses or networks (10.0.0.0/8) of proxies whose X-Forwarded-… headers are trusted; comma-separated.',
    parseProxy,
  ),
  requireTlsForWrites: flag(
    'false',
    'Whether other hosts must use TLS to write and to sign in. Behind a proxy that terminates TLS, also set trustedProxies.',
  ),
  tlsCertificateFile: file(
    'PEM file with the certificate chain of the TLS listener. Empty: tlsPkcs12File, or a self-signed certificate in the data directory.',
  ),
  tlsKeyFile: file('PEM file with the private key of that certificate.'),
  tlsPkcs12File: file('PKCS#12 file with certificate and private key, instead of the PEM files.'),
  tlsPkcs12Password: { ...optionalText('TEXT', 'Password of the PKCS#12 file.'), secret: true },
} as const;
