import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../fixtures/free-port.js';
import { makeCertificate, type ServerCertificate } from './certificates.js';
import { ServerProcess } from './server-process.js';

const program = '/usr/sbin/slapd';
export const slapdBase = 'dc=logbook,dc=example';
export const slapdManager = { dn: `cn=manager,${slapdBase}`, password: 'manager: pass' };

/** Always true in CI, so that a missing server fails there. */
export const hasSlapd = existsSync(program) || process.env.CI !== undefined;

/** A real OpenLDAP server on free loopback ports, with a few users and groups. */
export class Slapd {
  private constructor(
    private readonly dir: string,
    private readonly ports: { readonly plain: number; readonly tls: number },
    readonly certificate: ServerCertificate,
    private server: ServerProcess,
  ) {}

  /** @param referrals whether parts of the directory are on other servers, of which none responds */
  static async start({ referrals = false } = {}): Promise<Slapd> {
    const dir = await mkdtemp(join(tmpdir(), 'logbook-slapd-'));
    try {
      const certificate = await makeCertificate(dir, 'localhost', '127.0.0.1');
      const ports = { plain: await freePort(), tls: await freePort() };
      await mkdir(join(dir, 'data'));
      await writeFile(join(dir, 'slapd.conf'), configuration(dir, certificate, referrals));
      await writeFile(join(dir, 'people.ldif'), referrals ? `${people}\n${elsewhere}` : people);
      execFileSync(program, ['-T', 'add', '-f', join(dir, 'slapd.conf'), '-l', join(dir, 'people.ldif')], {
        stdio: 'pipe',
      });
      return new Slapd(dir, ports, certificate, await Slapd.serve(dir, ports));
    } catch (error) {
      await rm(dir, { recursive: true });
      throw error;
    }
  }

  get url(): string {
    return `ldap://localhost:${this.ports.plain}`;
  }

  get tlsUrl(): string {
    return `ldaps://localhost:${this.ports.tls}`;
  }

  /** The same server at an address that its certificate does not include. */
  get otherNameUrl(): string {
    return `ldaps://127.0.0.2:${this.ports.tls}`;
  }

  get otherPlainUrl(): string {
    return `ldap://127.0.0.2:${this.ports.plain}`;
  }

  async restart(): Promise<void> {
    await this.server.stop();
    this.server = await Slapd.serve(this.dir, this.ports);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await rm(this.dir, { recursive: true, force: true });
  }

  private static serve(dir: string, { plain, tls }: { plain: number; tls: number }): Promise<ServerProcess> {
    const addresses = ['127.0.0.1', '127.0.0.2'].flatMap((host) => [
      `ldap://${host}:${plain}/`,
      `ldaps://${host}:${tls}/`,
    ]);
    // A debug level keeps it in the foreground.
    const args = ['-d', '0', '-f', join(dir, 'slapd.conf'), '-h', addresses.join(' ')];
    return ServerProcess.start(program, args, '127.0.0.1', tls);
  }
}

function configuration(
  dir: string,
  { caFile, certificateFile, keyFile }: ServerCertificate,
  referrals: boolean,
): string {
  return `
${referrals ? 'referral ldap://root.example' : ''}
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload ppolicy
pidfile ${dir}/slapd.pid
TLSCACertificateFile ${caFile}
TLSCertificateFile ${certificateFile}
TLSCertificateKeyFile ${keyFile}
database mdb
suffix "${slapdBase}"
rootdn "cn=root,${slapdBase}"
directory ${dir}/data
overlay ppolicy
ppolicy_default "cn=policy,${slapdBase}"
access to attrs=userPassword by anonymous auth by * none
access to dn.subtree="ou=hidden,${slapdBase}" by dn.exact="${slapdManager.dn}" read by anonymous auth by * none
access to * by * read
`;
}

/** Two units on other servers, one of which exists and never responds. */
const elsewhere = ['ldap://127.0.0.1:1', 'ldap://no-such-server.example']
  .map(
    (url, at) =>
      `dn: ou=remote${at},${slapdBase}\nobjectClass: referral\nobjectClass: extensibleObject\nou: remote${at}\nref: ${url}/ou=remote${at},${slapdBase}\n`,
  )
  .join('\n');

const unit = (name: string, parent = '') =>
  `dn: ou=${name},${parent}${slapdBase}\nobjectClass: organizationalUnit\nou: ${name}\n`;

interface Person {
  readonly dn: string;
  readonly uid: readonly string[];
  readonly password: string;
  readonly more?: string;
}

function person({ dn, uid, password, more = '' }: Person): string {
  const coded = (name: string, value: string) => `${name}:: ${Buffer.from(value).toString('base64')}\n`;
  return `${coded('dn', `${dn},${slapdBase}`)}objectClass: inetOrgPerson\ncn: x\nsn: x\n${uid
    .map((value) => coded('uid', value))
    .join('')}${coded('userPassword', password)}${more}`;
}

/** A name made of all characters with a meaning in a DN or a filter. */
export const hardName = ' #a*b(c)d\\e,f+g"h<i>j;k=l/m&n|o!p~q{0}{1}$&é😀 ';

/** Number of entries that is above the default limit of OpenLDAP for one search. */
export const manyGroups = 1_234;

function group(dn: string, names: readonly string[], member: string): string {
  const cn = names.map((name) => `cn: ${name}\n`).join('');
  return `dn: ${dn},${slapdBase}\nobjectClass: groupOfNames\n${cn}member: ${member},${slapdBase}\n`;
}

const people = [
  `dn: ${slapdBase}\nobjectClass: dcObject\nobjectClass: organization\no: Logbook\ndc: logbook\n`,
  unit('people'),
  unit('staff'),
  unit('hidden'),
  unit('groups'),
  `dn: cn=policy,${slapdBase}\nobjectClass: pwdPolicy\nobjectClass: device\ncn: policy\npwdAttribute: userPassword\npwdMustChange: TRUE\n`,
  `dn: cn=strict,${slapdBase}\nobjectClass: pwdPolicy\nobjectClass: device\ncn: strict\npwdAttribute: userPassword\npwdLockout: TRUE\npwdMaxFailure: 2\n`,
  `dn: ${slapdManager.dn}\nobjectClass: device\nobjectClass: simpleSecurityObject\ncn: manager\nuserPassword: ${slapdManager.password}\n`,
  person({
    dn: 'uid=Jane,ou=people',
    uid: ['Jane', 'Aunt'],
    password: 'jane:pass:word',
    more: 'mail: jane@logbook.example\n',
  }),
  person({ dn: 'uid=Zoë Ångström,ou=people', uid: ['Zoë Ångström'], password: 'pässwörd 密码 😀' }),
  person({ dn: 'cn=x,ou=staff', uid: [hardName], password: 'hard-pass' }),
  person({ dn: 'uid=admin,ou=people', uid: ['admin'], password: 'admin-pass' }),
  person({ dn: 'uid=newcomer,ou=people', uid: ['newcomer'], password: 'new-pass', more: 'pwdReset: TRUE\n' }),
  person({
    dn: 'uid=careful.person,ou=people',
    uid: ['careful.person'],
    password: 'careful-pass',
    more: `pwdPolicySubentry: cn=strict,${slapdBase}\n`,
  }),
  person({ dn: 'uid=mole,ou=hidden', uid: ['mole'], password: 'mole-pass' }),
  ...['people', 'staff'].map((ou) =>
    person({ dn: `uid=twin,ou=${ou}`, uid: ['twin'], password: 'twin-pass', more: 'mail: twin@logbook.example\n' }),
  ),
  // A user who has set the mail address to the name of another one, and two who have the same name in two branches.
  person({ dn: 'uid=impostor,ou=people', uid: ['impostor'], password: 'impostor-pass', more: 'mail: victim\n' }),
  person({ dn: 'uid=victim,ou=people', uid: ['victim'], password: 'victim-pass', more: 'mail: v@logbook.example\n' }),
  ...['people', 'staff'].map((ou) =>
    person({ dn: `cn=same,ou=${ou}`, uid: ['same'], password: 'same-pass', more: `mail: same@${ou}.example\n` }),
  ),
  person({ dn: 'cn=nameless,ou=staff', uid: [], password: 'nameless-pass', more: 'mail: nameless@logbook.example\n' }),
  person({ dn: 'cn=many,ou=staff', uid: ['one', 'two'], password: 'many-pass', more: 'mail: many@logbook.example\n' }),
  person({
    dn: 'uid=locked,ou=people',
    uid: ['locked'],
    password: 'locked-pass',
    more: 'pwdAccountLockedTime: 000001010000Z\n',
  }),
  person({ dn: 'uid=member,ou=people', uid: ['member'], password: 'member-pass' }),
  unit('roles'),
  ...['a', 'b', 'c'].map((ou) => unit(ou, 'ou=roles,')),
  group('cn=admins,ou=a,ou=roles', ['admins'], 'uid=admin,ou=people'),
  group('cn=admins,ou=b,ou=roles', ['admins'], 'uid=victim,ou=people'),
  group('cn=writers,ou=c,ou=roles', ['writers', 'direct'], 'uid=victim,ou=people'),
  group('cn=direct,ou=roles', ['direct'], 'uid=admin,ou=people'),
  group('cn=direct,ou=c,ou=roles', ['direct'], 'uid=impostor,ou=people'),
  group('cn=Smith\\2C Jones\\2B,ou=roles', ['Smith, Jones+'], 'uid=victim,ou=people'),
  group('cn=cn\\3Ddirect\\2Cou\\3Droles,ou=roles', ['cn=direct,ou=roles'], 'uid=victim,ou=people'),
  unit('crowd'),
  ...Array.from({ length: manyGroups }, (_, at) => group(`cn=g${at},ou=crowd`, [`g${at}`], 'uid=member,ou=people')),
  `dn: cn=shift,ou=groups,${slapdBase}\nobjectClass: posixGroup\ncn: shift\ngidNumber: 7\nmemberUid: Jane\nmemberUid: mole\n`,
  `dn: cn=operators,ou=groups,${slapdBase}\nobjectClass: groupOfNames\ncn: operators\nmember: uid=Jane,ou=people,${slapdBase}\n`,
  `dn: cn=others,ou=groups,${slapdBase}\nobjectClass: groupOfNames\ncn: others\nmember: uid=admin,ou=people,${slapdBase}\n`,
].join('\n');
