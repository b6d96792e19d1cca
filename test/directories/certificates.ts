import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ServerCertificate {
  /** PEM of the authority. */
  readonly ca: string;
  readonly caFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
}

export async function makeCertificate(dir: string, name: string, address: string): Promise<ServerCertificate> {
  // Loaded only when needed, because loading takes a while.
  const { generate } = await import('selfsigned');
  const authority = await generate([{ name: 'commonName', value: 'An authority of the tests' }], {
    keySize: 2048,
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const server = await generate([{ name: 'commonName', value: name }], {
    keySize: 2048,
    algorithm: 'sha256',
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: name },
          { type: 7, ip: address },
        ],
      },
    ],
  });
  const write = (file: string, text: string) => {
    writeFileSync(join(dir, file), text, { mode: 0o600 });
    return join(dir, file);
  };
  return {
    ca: authority.cert,
    caFile: write('ca.pem', authority.cert),
    certificateFile: write('certificate.pem', server.cert),
    keyFile: write('key.pem', server.private),
  };
}
