/** An attribute as requests and entries name it: `cn`, `CN;lang-de`, `2.5.4.3`. */
export interface AttributeName {
  /** In lower case, and one for all the names that an attribute has. */
  readonly type: string;
  readonly options: readonly string[];
}

const shape = /^(?:[a-z][a-z0-9-]*|\d+(?:\.\d+)*)(?:;[a-z0-9-]+)*$/i;

const otherNames = new Map(
  Object.entries({
    objectclass: ['2.5.4.0'],
    cn: ['commonname', '2.5.4.3'],
    sn: ['surname', '2.5.4.4'],
    c: ['countryname', '2.5.4.6'],
    l: ['localityname', '2.5.4.7'],
    st: ['stateorprovincename', '2.5.4.8'],
    street: ['streetaddress', '2.5.4.9'],
    o: ['organizationname', '2.5.4.10'],
    ou: ['organizationalunitname', '2.5.4.11'],
    title: ['2.5.4.12'],
    description: ['2.5.4.13'],
    telephonenumber: ['2.5.4.20'],
    member: ['2.5.4.31'],
    userpassword: ['2.5.4.35'],
    givenname: ['gn', '2.5.4.42'],
    uniquemember: ['2.5.4.50'],
    uid: ['userid', '0.9.2342.19200300.100.1.1'],
    mail: ['rfc822mailbox', '0.9.2342.19200300.100.1.3'],
    dc: ['domaincomponent', '0.9.2342.19200300.100.1.25'],
  }).flatMap(([type, names]) => names.map((name) => [name, type])),
);

/** Never leave the directory, nor does a filter tell anything about them. */
const secrets = new Set([
  'userpassword',
  'authpassword',
  'unicodepwd',
  'pwdhistory',
  'sambantpassword',
  'sambalmpassword',
  'sambapasswordhistory',
  'krbprincipalkey',
  'userpkcs12',
]);

/** What directories keep about their entries; returned to those who ask for it. */
const operational = new Set([
  'entrydn',
  'hassubordinates',
  'entryuuid',
  'entrycsn',
  'contextcsn',
  'createtimestamp',
  'modifytimestamp',
  'creatorsname',
  'modifiersname',
  'structuralobjectclass',
  'subschemasubentry',
  'pwdchangedtime',
  'pwdaccountlockedtime',
  'pwdfailuretime',
]);

/** Undefined when nothing can be named so. */
export function parseAttributeName(text: string): AttributeName | undefined {
  if (!shape.test(text)) return undefined;
  const [name = '', ...options] = text.toLowerCase().split(';');
  return { type: canonicalType(name), options };
}

export function canonicalType(name: string): string {
  const lower = name.toLowerCase();
  return otherNames.get(lower) ?? lower;
}

/** True when who asks for `asked` means `held` too: the same attribute, perhaps with more options. */
export function covers(asked: AttributeName, held: AttributeName): boolean {
  if (asked.type !== held.type) return false;
  return asked.options.every((option) => held.options.includes(option));
}

export function isSecret({ type }: AttributeName): boolean {
  return secrets.has(type);
}

export function isOperational({ type }: AttributeName): boolean {
  return operational.has(type);
}
