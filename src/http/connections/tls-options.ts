/** Source of the certificate and private key of the TLS listener. */
export type TlsKeyOptions =
  | { readonly kind: 'pem'; readonly certificateFile: string; readonly keyFile: string }
  | { readonly kind: 'pkcs12'; readonly file: string; readonly password: string }
  | { readonly kind: 'self-signed'; readonly dir: string };
