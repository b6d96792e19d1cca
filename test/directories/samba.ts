import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Attribute, Change, Client } from 'ldapts';
import { makeCertificate, type ServerCertificate } from './certificates.js';
import { ServerProcess } from './server-process.js';

const program = '/usr/sbin/samba';
const adminPassword = 'Adm1n-passw0rd';
export const sambaDomain = 'logbook.example';
export const sambaBase = 'DC=logbook,DC=example';

/** Always true in CI, so that a missing server fails there. Needs root, because the ports are fixed and privileged. */
export const hasSamba =
  (existsSync(program) && existsSync('/usr/bin/samba-tool') && process.getuid?.() === 0) ||
  process.env.CI !== undefined;

/** A real domain controller on its own loopback address, with a few users and groups. */
export class Samba {
  private constructor(
    private readonly dir: string,
    readonly address: string,
    readonly certificate: ServerCertificate,
    private readonly server: ServerProcess,
  ) {}

  static async start(): Promise<Samba> {
    const dir = await mkdtemp(join(tmpdir(), 'logbook-samba-'));
    // A random loopback address, because port 389 of 127.0.0.1 may be in use.
    const address = `127.${[0, 0, 0].map(() => 2 + Math.floor(Math.random() * 250)).join('.')}`;
    let server: ServerProcess | undefined;
    try {
      const certificate = await makeCertificate(dir, 'dc1.logbook.example', address);
      await provision(dir, address);
      server = await ServerProcess.start(program, serverArguments(dir, address, certificate), address, 636);
      const samba = new Samba(dir, address, certificate, server);
      await samba.addUsers();
      return samba;
    } catch (error) {
      await server?.stop();
      await rm(dir, { recursive: true });
      throw error;
    }
  }

  get url(): string {
    return `ldap://${this.address}`;
  }

  get tlsUrl(): string {
    return `ldaps://${this.address}`;
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await rm(this.dir, { recursive: true, force: true });
  }

  private async addUsers(): Promise<void> {
    const client = new Client({ url: this.tlsUrl, tlsOptions: { ca: this.certificate.ca }, timeout: 300_000 });
    try {
      await client.bind(`administrator@${sambaDomain}`, adminPassword);
      await client.modify(sambaBase, replace('lockoutThreshold', '3'));
      for (const { name, password, ...attributes } of people) await addPerson(client, name, password, attributes);
      for (const [name, member] of groups) {
        await client.add(`CN=${name},CN=Users,${sambaBase}`, {
          objectClass: 'group',
          sAMAccountName: name,
          member: `CN=${member},CN=Users,${sambaBase}`,
        });
      }
      await client.add(`OU=Delegated,${sambaBase}`, { objectClass: 'organizationalUnit' });
      // The name of another group, in a branch whose owner may create groups.
      await client.add(`CN=outer,OU=Delegated,${sambaBase}`, {
        objectClass: 'group',
        sAMAccountName: 'delegated-outer',
        member: `CN=victim,CN=Users,${sambaBase}`,
      });
      await client.add(`OU=Crowd,${sambaBase}`, { objectClass: 'organizationalUnit' });
      for (let at = 0; at < manySambaGroups; at++) {
        await client.add(`CN=g${at},OU=Crowd,${sambaBase}`, {
          objectClass: 'group',
          sAMAccountName: `g${at}`,
          member: `CN=member,CN=Users,${sambaBase}`,
        });
      }
    } finally {
      await client.unbind();
    }
  }
}

async function provision(dir: string, address: string): Promise<void> {
  await mkdir(join(dir, 'run'), { mode: 0o755 });
  const words = ['domain', 'provision', '--realm=LOGBOOK.EXAMPLE', '--domain=LOGBOOK', '--server-role=dc'];
  const options = ['--dns-backend=NONE', '--host-name=dc1', `--host-ip=${address}`, `--adminpass=${adminPassword}`];
  // Not every file system supports the extended attributes in which samba stores access lists.
  const places = [`--targetdir=${dir}`, `--option=posix:eadb=${dir}/eadb.tdb`, `--option=pid directory=${dir}/run`];
  await promisify(execFile)('samba-tool', [...words, ...options, ...places]);
}

function serverArguments(dir: string, address: string, certificate: ServerCertificate): string[] {
  const options = {
    // Only the directory service, and no files outside its own folder.
    'server services': 'ldap',
    interfaces: `${address}/8`,
    'bind interfaces only': 'yes',
    'pid directory': `${dir}/run`,
    'ncalrpc dir': `${dir}/run/ncalrpc`,
    'log file': `${dir}/log`,
    'tls cafile': certificate.caFile,
    'tls certfile': certificate.certificateFile,
    'tls keyfile': certificate.keyFile,
  };
  const words = Object.entries(options).map(([name, value]) => `--option=${name}=${value}`);
  return ['--interactive', '--model=single', '--debug-stdout', '-s', join(dir, 'etc', 'smb.conf'), ...words];
}

async function addPerson(
  client: Client,
  name: string,
  password: string,
  attributes: Readonly<Record<string, string>>,
): Promise<void> {
  const { pwdLastSet, ...others } = attributes;
  const dn = `CN=${name},CN=Users,${sambaBase}`;
  await client.add(dn, [
    ...Object.entries({ objectClass: 'user', sAMAccountName: name, userAccountControl: '512', ...others }).map(
      ([type, value]) => new Attribute({ type, values: [value] }),
    ),
    new Attribute({ type: 'unicodePwd', values: [Buffer.from(`"${password}"`, 'utf16le')] }),
  ]);
  if (pwdLastSet !== undefined) await client.modify(dn, replace('pwdLastSet', pwdLastSet));
}

function replace(type: string, value: string): Change {
  return new Change({ operation: 'replace', modification: new Attribute({ type, values: [value] }) });
}

interface Person extends Readonly<Record<string, string>> {
  readonly name: string;
  readonly password: string;
}

/** Number of groups that takes more than one page of a response. */
export const manySambaGroups = 520;

export const sambaPassword = 'Pass:w0rd:1';

const people: readonly Person[] = [
  { name: 'Jane', password: sambaPassword, userPrincipalName: `jane.doe@${sambaDomain}` },
  { name: 'Zoë', password: 'Pässw0rd 密码', userPrincipalName: `zoë@${sambaDomain}` },
  { name: 'victim', password: sambaPassword },
  // A principal name that contains the account name of another user.
  { name: 'mallory', password: 'Mall0ry-passw0rd', userPrincipalName: `victim@elsewhere.example` },
  { name: 'disabled', password: sambaPassword, userAccountControl: '514' },
  { name: 'expired', password: sambaPassword, accountExpires: '130000000000000000' },
  { name: 'must-change', password: sambaPassword, pwdLastSet: '0' },
  { name: 'locked', password: sambaPassword },
  { name: 'locked-later', password: sambaPassword },
  { name: 'member', password: sambaPassword },
  { name: 'clerk', password: sambaPassword, employeeID: '7' },
  { name: 'other-clerk', password: sambaPassword, employeeID: '7' },
];

/** A group and its member. */
const groups = [
  ['inner', 'Jane'],
  ['outer', 'inner'],
  ['strangers', 'victim'],
] as const;
