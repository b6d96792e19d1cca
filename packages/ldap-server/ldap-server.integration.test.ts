import { createServer } from 'node:net';
import { Client, type Control, type SearchOptions } from 'ldapts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  manyPeople,
  sampleBase,
  sampleFile,
  startDirectory,
  writeLdif,
} from '../../test/fixtures/embedded-directory.js';
import { startLdapServer } from './ldap-server.js';

function connect(url: string): Client {
  const client = new Client({ url, timeout: 300_000 });
  onTestFinished(() => client.unbind());
  return client;
}

const sample = async () => connect((await startDirectory()).url);
const uid = (name: string) => `uid=${name},ou=people,${sampleBase}`;
const group = (name: string) => `cn=${name},ou=groups,${sampleBase}`;
const whoAmI = async (client: Client) => (await client.exop('1.3.6.1.4.1.4203.1.11.3')).value ?? '';

async function find(client: Client, filter: string, options: SearchOptions = {}, base = sampleBase): Promise<string[]> {
  const { searchEntries } = await client.search(base, { filter, attributes: ['1.1'], ...options });
  return searchEntries.map(({ dn }) => dn.split(',')[0] ?? '');
}

describe('a bind', () => {
  test.each(['admin', 'operator', 'physicist', 'visitor'])(
    'as %s of the sample directory with the documented password succeeds',
    async (name) => {
      const client = await sample();
      await client.bind(uid(name), `${name}Pass`);
      expect(await whoAmI(client)).toBe(`dn:${uid(name)}`);
    },
  );

  test('accepts any spelling of the name', async () => {
    const client = await sample();
    await client.bind(
      ' UID = Operator , OU=people,2.5.4.3=x '.replace('2.5.4.3=x', 'domainComponent=LOGBOOK,dc=example'),
      'operatorPass',
    );
    expect(await whoAmI(client)).toBe(`dn:${uid('operator')}`);
  });

  test.each([
    ['a wrong password', uid('admin'), 'wrong', 49],
    ['an unknown name', uid('nobody'), 'adminPass', 49],
    ['an entry without a password', `ou=people,${sampleBase}`, 'adminPass', 49],
    ['a password without a name', '', 'adminPass', 49],
    ['a name without a password', uid('admin'), '', 53],
    ['an unknown name without a password', uid('nobody'), '', 53],
    ['an invalid name', 'admin', 'adminPass', 34],
  ])('with %s is refused, and the connection is anonymous afterwards', async (_case, dn, password, code) => {
    const client = await sample();
    await client.bind(uid('operator'), 'operatorPass');
    await expect(client.bind(dn, password)).rejects.toMatchObject({ code });
    expect(await whoAmI(client)).toBe('');
  });

  test('without a name leaves the connection anonymous, which may search', async () => {
    const client = await sample();
    await client.bind('', '');
    expect(await whoAmI(client)).toBe('');
    expect(await find(client, '(uid=admin)')).toEqual(['uid=admin']);
  });

  test('by SASL is refused', async () => {
    await expect((await sample()).bind('PLAIN', 'x')).rejects.toMatchObject({ code: 7 });
  });

  test('is not lost among many others, and many binds do not delay a search', async () => {
    const { url } = await startDirectory();
    const [other, ...clients] = Array.from({ length: 11 }, () => connect(url));
    if (!other) throw new Error('no client');
    const done: string[] = [];
    await find(other, '(uid=admin)');
    await Promise.all([
      ...clients.map(async (client, n) => {
        await client.bind(uid('physicist'), n % 2 ? 'physicistPass' : 'wrong').catch(() => undefined);
        expect(await whoAmI(client)).toBe(n % 2 ? `dn:${uid('physicist')}` : '');
        done.push('bind');
      }),
      find(other, '(uid=admin)').then(() => done.push('search')),
    ]);
    expect(done[0]).toBe('search');
  });
});

describe('the filter', () => {
  test.each([
    ['(uid=admin)', ['uid=admin']],
    ['(UID=ADMIN)', ['uid=admin']],
    ['(userid=admin)', ['uid=admin']],
    ['(cn=ada   ADMIN)', ['uid=admin']],
    ['(cn~=ada admin)', ['uid=admin']],
    ['(cn=Pet*yz*)', ['uid=physicist']],
    ['(cn=*R OPER*)', []],
    ['(cn=*a OPER*or)', ['uid=operator']],
    ['(uid=*operatoroperator)', []],
    ['(telephoneNumber=+1-555-01 00)', ['uid=operator']],
    ['(description=*)', ['uid=physicist', 'cn=logbook-admins', 'cn=logbook-writers', 'cn=logbook-tags']],
    ['(description=*lattice – §3)', ['uid=physicist']],
    ['(gidNumber>=999)', ['cn=logbook-tags']],
    ['(gidNumber<=999)', []],
    ['(gidNumber=05001)', ['cn=logbook-tags']],
    ['(&(uid<=b)(uid>=a))', ['uid=admin']],
    [`(member=UID=Operator, OU=people,${sampleBase})`, ['cn=logbook-writers']],
    ['(member=nobody)', []],
    ['(!(member=nobody))', []],
    ['(memberUid=operator)', ['cn=logbook-tags']],
    ['(memberUid=Operator)', []],
    ['(memberUid:caseIgnoreMatch:=Operator)', ['cn=logbook-tags']],
    ['(cn:caseExactMatch:=ada admin)', []],
    ['(cn:caseExactMatch:=Ada Admin)', ['uid=admin']],
    ['(:caseExactMatch:=Ada Admin)', ['uid=admin']],
    ['(&(ou:dn:=PEOPLE)(objectClass=person)(!(uid=admin))(!(uid=visitor)))', ['uid=operator', 'uid=physicist']],
    ['(&(ou=people)(objectClass=person))', []],
    ['(|(uid=admin)(uid=visitor)(nothing=x))', ['uid=admin', 'uid=visitor']],
    ['(&(objectClass=person)(!(telephoneNumber=*)))', ['uid=admin', 'uid=physicist', 'uid=visitor']],
    ['(cn:1.2.3.4:=x)', []],
    ['(!(cn:1.2.3.4:=x))', []],
    [`(entryDN=${uid('admin')})`, ['uid=admin']],
  ])('%s', async (filter, names) => {
    expect(await find(await sample(), filter)).toEqual(names);
  });

  test.each([
    '(userPassword=*)',
    '(!(userPassword=*))',
    '(userPassword=visitorPass)',
    '(userPassword=visitor*)',
    '(userPassword>=a)',
    '(userPassword:octetStringMatch:=visitorPass)',
    '(:octetStringMatch:=visitorPass)',
  ])('%s reveals nothing', async (filter) => {
    const client = await sample();
    await client.bind(uid('visitor'), 'visitorPass');
    expect(await find(client, filter)).toEqual([]);
  });
});

describe('a search', () => {
  test('returns the entries in its scope', async () => {
    const client = await sample();
    const people = `ou=people,${sampleBase}`;
    const all = '(objectClass=*)';
    expect(await find(client, all, { scope: 'base' }, people)).toEqual(['ou=people']);
    expect(await find(client, all, { scope: 'one' }, sampleBase)).toEqual(['ou=people', 'ou=groups']);
    expect(await find(client, all, { scope: 'one' }, people)).toHaveLength(4);
    expect(await find(client, all, { scope: 'sub' }, people)).toHaveLength(5);
    expect(await find(client, all, { scope: 'children' }, people)).toHaveLength(4);
    expect(await find(client, all, { scope: 'sub' }, uid('admin'))).toEqual(['uid=admin']);
    expect(await find(client, all, { scope: 'one' }, '')).toEqual(['dc=logbook']);
    expect(await find(client, all, { scope: 'sub' }, '')).toHaveLength(10);
  });

  test('below a missing entry fails with noSuchObject', async () => {
    const failure = find(await sample(), '(uid=x)', {}, `ou=x,ou=y,ou=people,${sampleBase}`);
    await expect(failure).rejects.toMatchObject({ code: 32 });
  });

  test.each([
    [[], ['gidNumber', 'objectClass', 'cn', 'description', 'memberUid']],
    [['*'], ['gidNumber', 'objectClass', 'cn', 'description', 'memberUid']],
    [['+'], ['entryDN', 'hasSubordinates']],
    [
      ['CN', 'hassubordinates', 'nothing'],
      ['cn', 'hasSubordinates'],
    ],
    [['2.5.4.3'], ['cn']],
    [['1.1'], []],
    [
      ['*', '+'],
      ['gidNumber', 'objectClass', 'cn', 'description', 'memberUid', 'entryDN', 'hasSubordinates'],
    ],
  ])('for %j returns %j', async (attributes, names) => {
    const { searchEntries } = await (await sample()).search(group('logbook-tags'), { scope: 'base', attributes });
    // ldapts adds the requested attributes that were not returned, without values.
    const returned = Object.entries(searchEntries[0] ?? {}).filter(([, values]) => values.length > 0);
    expect(returned.map(([name]) => name).sort()).toEqual(['dn', ...names].sort());
  });

  test('never returns a password, not even to a bound user', async () => {
    const client = await sample();
    for (const signIn of [false, true]) {
      if (signIn) await client.bind(uid('admin'), 'adminPass');
      for (const attributes of [[], ['*', '+'], ['userPassword'], ['2.5.4.35', 'USERPASSWORD;x']]) {
        const { searchEntries } = await client.search(sampleBase, { attributes });
        expect(searchEntries).toHaveLength(10);
        const values = searchEntries.flatMap((entry) => Object.values(entry).flat());
        expect(values.join()).not.toMatch(/password|Pass|SSHA|\$2b/i);
      }
    }
  });

  test('with typesOnly returns names without values', async () => {
    const { searchEntries } = await (await sample()).search(uid('admin'), {
      scope: 'base',
      attributes: ['cn'],
      returnAttributeValues: false,
    });
    expect(searchEntries).toEqual([{ dn: uid('admin'), cn: [] }]);
  });

  test('returns binary values unchanged, and every option of a requested attribute', async () => {
    const bytes = Buffer.from([0xff, 0xd8, 0, 1]);
    const { url } = await startDirectory({
      ldif: `dn: dc=x\nobjectClass: domain\njpegPhoto:: ${bytes.toString('base64')}\ncn;lang-en: colour\n`,
    });
    const client = connect(url);
    const { searchEntries } = await client.search('dc=x', {
      filter: '(cn=colour)',
      attributes: ['jpegPhoto', 'cn', 'dc'],
      explicitBufferAttributes: ['jpegPhoto'],
    });
    expect(searchEntries).toEqual([{ dn: 'dc=x', jpegPhoto: bytes, 'cn;lang-en': 'colour', cn: [], dc: 'x' }]);
  });

  test('stops at its size limit', async () => {
    const client = await sample();
    // ldapts treats sizeLimitExceeded as success.
    expect(await find(client, '(objectClass=person)', { sizeLimit: 3 })).toHaveLength(3);
    expect(await find(client, '(objectClass=person)', { sizeLimit: 4 })).toHaveLength(4);
  });

  test('stops at its time limit, and does not delay other clients', async () => {
    const { url } = await startDirectory({ ldif: manyPeople(20_000), limits: { searchTimeoutMs: 600_000 } });
    const [slow, other] = [connect(url), connect(url)];
    const filter = `(|${Array.from({ length: 900 }, (_, n) => `(cn=*x${n}*)`).join('')})`;
    let isOver = false;
    const search = find(slow, filter, {}, 'dc=x').finally(() => {
      isOver = true;
    });
    search.catch(() => undefined);
    expect(await find(other, '(uid=u7)', { scope: 'base' }, 'uid=u7,ou=people,dc=x')).toEqual(['uid=u7']);
    expect(isOver).toBe(false);
    const { now } = performance;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 600_000);
    await expect(search).rejects.toMatchObject({ code: 3 });
    clock.mockRestore();
    expect(await find(slow, '(uid=u7)', { scope: 'base' }, 'uid=u7,ou=people,dc=x')).toEqual(['uid=u7']);
  });

  test('returns its result in pages', async () => {
    const { url } = await startDirectory({ ldif: manyPeople(95) });
    const client = connect(url);
    const pages: string[][] = [];
    const options = { filter: '(objectClass=person)', attributes: ['uid'], paged: { pageSize: 20 } };
    for await (const { searchEntries } of client.searchPaginated('dc=x', options)) {
      pages.push(searchEntries.map((entry) => String(entry.uid)));
    }
    expect(pages.map(({ length }) => length)).toEqual([20, 20, 20, 20, 15]);
    expect(pages.flat()).toEqual(Array.from({ length: 95 }, (_, n) => `u${n}`));
    const inOne = await client.search('dc=x', { ...options, scope: 'sub', paged: true });
    expect(inOne.searchEntries).toHaveLength(95);
  });

  test('of the root DSE returns the capabilities of the server', async () => {
    const client = await sample();
    const names = ['namingContexts', 'supportedLDAPVersion', 'supportedExtension', 'supportedControl'];
    const root = async (attributes: string[]) => (await client.search('', { scope: 'base', attributes })).searchEntries;
    expect(await root([])).toEqual([{ dn: '', objectClass: 'top' }]);
    expect(await root(names)).toEqual([
      {
        dn: '',
        namingContexts: sampleBase,
        supportedLDAPVersion: '3',
        supportedExtension: '1.3.6.1.4.1.4203.1.11.3',
        supportedControl: ['1.2.840.113556.1.4.319', '2.16.840.1.113730.3.4.2'],
      },
    ]);
  });

  test('returns entries of more than 64 KB completely, whatever their size', async () => {
    const sizes = [65_400, 65_535, 65_536, 70_000, 1_000_000];
    const ldif = sizes.map((size) => `dn: cn=${size}\nobjectClass: x\ndescription: ${'d'.repeat(size)}\n`).join('\n');
    const client = connect((await startDirectory({ ldif })).url);
    const { searchEntries } = await client.search('', { attributes: ['description'], scope: 'sub' });
    expect(searchEntries.map(({ description }) => String(description).length)).toEqual(sizes);
  });
});

describe('other operations', () => {
  test('a compare returns true, false, or why it is impossible', async () => {
    const client = await sample();
    expect(await client.compare(uid('admin'), 'CN', 'ada admin')).toBe(true);
    expect(await client.compare(uid('admin'), 'cn', 'somebody')).toBe(false);
    expect(await client.compare(group('logbook-writers'), 'member', uid('operator').toUpperCase())).toBe(true);
    await expect(client.compare(uid('nobody'), 'cn', 'x')).rejects.toMatchObject({ code: 32 });
    await expect(client.compare(uid('admin'), 'telephoneNumber', 'x')).rejects.toMatchObject({ code: 16 });
    await expect(client.compare(uid('visitor'), 'userPassword', 'visitorPass')).rejects.toMatchObject({ code: 16 });
  });

  test('no entry can be changed', async () => {
    const client = await sample();
    await client.bind(uid('admin'), 'adminPass');
    await expect(client.add(uid('new'), { objectClass: 'person', cn: 'x' })).rejects.toMatchObject({ code: 53 });
    await expect(client.del(uid('visitor'))).rejects.toMatchObject({ code: 53 });
    await expect(client.modify(uid('visitor'), [])).rejects.toMatchObject({ code: 53 });
    await expect(client.modifyDN(uid('visitor'), 'uid=x')).rejects.toMatchObject({ code: 53 });
    expect(await find(client, '(objectClass=person)')).toHaveLength(4);
  });

  test('an unknown extended operation is refused', async () => {
    await expect((await sample()).exop('1.3.6.1.4.1.1466.20037')).rejects.toMatchObject({ code: 2 });
  });

  test('an unknown control is ignored, or refused when it is critical', async () => {
    const client = await sample();
    const control = (critical: boolean) => ({ type: '1.2.3.4', critical, write: writeControl }) as unknown as Control;
    const search = (critical: boolean) => client.search(sampleBase, { scope: 'base' }, control(critical));
    expect((await search(false)).searchEntries).toHaveLength(1);
    await expect(search(true)).rejects.toMatchObject({ code: 12 });
  });
});

function writeControl(this: Control, writer: Parameters<Control['write']>[0]): void {
  writer.startSequence();
  writer.writeString(this.type);
  writer.writeBoolean(this.critical);
  writer.endSequence();
}

describe('starting and stopping', () => {
  test.each([
    ['invalid LDIF', 'dn: dc=x\nobjectClass\n', 'line 2'],
    ['an invalid name', 'dn: x\nobjectClass: domain\n', 'line 1'],
    ['a duplicate entry', 'dn: dc=x\nobjectClass: domain\n\ndn: DC = X\nobjectClass: domain\n', 'line 4'],
    ['an entry without objectClass', 'dn: dc=x\ndc: x\n', 'objectClass'],
    [
      'an entry whose parent is missing',
      'dn: dc=x\nobjectClass: domain\n\ndn: cn=a,ou=b,dc=x\nobjectClass: x\n',
      'ou=b,dc=x',
    ],
    ['an unsupported password scheme', 'dn: dc=x\nobjectClass: domain\nuserPassword: {MD5}x\n', 'line 3'],
  ])('a file with %s is refused with its name and the line', async (_case, ldif, problem) => {
    const ldifFile = await writeLdif(ldif);
    const start = startLdapServer({ ldifFile, port: 0 });
    await expect(start).rejects.toThrow(problem);
    await expect(start).rejects.toThrow(ldifFile);
  });

  test('a file that is missing, not a file, or too large is refused with its name', async () => {
    const start = (ldifFile: string) => startLdapServer({ ldifFile, port: 0 });
    await expect(start('/nowhere.ldif')).rejects.toThrow('Cannot read the LDIF file /nowhere.ldif: file not found.');
    await expect(start('/')).rejects.toThrow('Cannot read the LDIF file /: it is not a file.');
    await expect(start(await writeLdif('x'.repeat(8_388_609)))).rejects.toThrow('8 MB');
  });

  test('a port in use is refused with its number', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    await expect(startLdapServer({ ldifFile: sampleFile, port })).rejects.toThrow(`port ${port}`);
  });

  test('entries may be in any order and in several trees, and have the values of their names', async () => {
    const ldif = 'dn: cn=a+sn=b,dc=x\nobjectClass: x\n\ndn: dc=y\nobjectClass: x\n\ndn: dc=x\nobjectClass: x\n';
    const client = connect((await startDirectory({ ldif })).url);
    expect(await find(client, '(objectClass=*)', {}, 'dc=x')).toEqual(['dc=x', 'cn=a+sn=b']);
    expect(await find(client, '(&(cn=a)(sn=b))', {}, 'dc=x')).toEqual(['cn=a+sn=b']);
    const [root] = (await client.search('', { scope: 'base', attributes: ['namingContexts'] })).searchEntries;
    expect(root?.namingContexts).toEqual(['dc=y', 'dc=x']);
  });

  test('it stops while a client waits for a response, and its port is free immediately', async () => {
    const directory = await startDirectory();
    const client = connect(directory.url);
    const signIn = client.bind(uid('physicist'), 'physicistPass');
    signIn.catch(() => undefined);
    await find(connect(directory.url), '(uid=admin)');
    await directory.stop();
    await expect(signIn).rejects.toThrow();
    await startDirectory({ port: directory.port });
    expect(directory.logged).toEqual([]);
  });
});
