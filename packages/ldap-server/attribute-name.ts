/** An attribute description (RFC 4512) such as `cn`, `CN;lang-de` or `2.5.4.3`. */
export interface AttributeName {
  /** Name in lower case, with aliases and OIDs replaced by the usual name. */
  readonly type: string;
  readonly options: readonly string[];
}

const syntax = /^(?:[a-z][a-z0-9-]*|\d+(?:\.\d+)*)(?:;[a-z0-9-]+)*$/i;

const aliases = new Map(
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

/** Attributes that are never returned, and that no filter or comparison matches. */
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

/** Attributes that the server maintains. They are returned only on request. */
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

/** @returns undefined when the text is not an attribute description */
export function parseAttributeName(text: string): AttributeName | undefined {
  if (!syntax.test(text)) return undefined;
  const [name = '', ...options] = text.toLowerCase().split(';');
  return { type: canonicalType(name), options };
}

/** Returns the usual name for an alias or an OID, in lower case. */
export function canonicalType(name: string): string {
  const lower = name.toLowerCase();
  return aliases.get(lower) ?? lower;
}

/**
 * Whether a request for an attribute includes a stored one, which must have the same type and at least the requested
 * options.
 */
export function covers(requested: AttributeName, stored: AttributeName): boolean {
  return requested.type === stored.type && requested.options.every((option) => stored.options.includes(option));
}

export function isSecret({ type }: AttributeName): boolean {
  return secrets.has(type);
}

export function isOperational({ type }: AttributeName): boolean {
  return operational.has(type);
}
