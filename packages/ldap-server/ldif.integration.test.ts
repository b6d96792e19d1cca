import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LdifError, parseLdif } from './ldif.js';

const read = (text: string) =>
  parseLdif(Buffer.from(text)).map(({ dn, attributes }) => ({
    dn,
    values: attributes.map(({ name, value }) => `${name}=${value}`),
  }));

describe('an LDIF file', () => {
  test('yields its entries, without comments and with folded lines joined', () => {
    const text = [
      '# a comment',
      ' that goes on',
      'version: 1',
      '',
      '',
      'dn: dc=x',
      'cn: a long',
      '  value',
      '# between',
      'cn;lang-cs:: xI1hcw==',
      'empty:',
      '',
      'dn:: ZGM9eQ==',
      'changetype: add',
      'cn:b ',
    ];
    const entries = [
      { dn: 'dc=x', values: ['cn=a long value', 'cn;lang-cs=čas', 'empty='] },
      { dn: 'dc=y', values: ['cn=b '] },
    ];
    expect(read(text.join('\n'))).toEqual(entries);
    expect(read(`\uFEFF${text.join('\r\n')}\r\n`)).toEqual(entries);
  });

  test('may have its version line directly above the first entry', () => {
    expect(read('version: 1\ndn: dc=x\ndc: x')).toEqual([{ dn: 'dc=x', values: ['dc=x'] }]);
  });

  test('yields the line number of each entry and value', () => {
    const [entry] = parseLdif(Buffer.from('\n\ndn: dc=x\n# c\ncn: a\n  b\nsn: c\n'));
    expect(entry?.line).toBe(3);
    expect(entry?.attributes.map(({ line }) => line)).toEqual([5, 7]);
  });

  test.each([
    ['version: 2\n\ndn: dc=x\ndc: x', 1, 'version'],
    ['cn: x\n', 1, 'must begin with “dn:”'],
    ['dn: dc=x\n\ncn: x', 1, 'no attributes'],
    ['dn: dc=x\ncn x', 2, 'not of the form “attribute: value”'],
    ['dn: dc=x\ncn:: %%%', 2, 'base64'],
    ['dn: dc=x\ncn:: abc', 2, 'base64'],
    ['dn: dc=x\njpegPhoto:< file:///etc/passwd', 2, 'is a URL'],
    ['dn: dc=x\nchangetype: delete', 2, '“delete”'],
    ['dn: dc=x\ncontrol: 1.2.3 true\nchangetype: add', 2, 'controls'],
    ['dn: dc=x\nchangetype: modify\nadd: cn\ncn: x\n-', 5, 'not of the form “attribute: value”'],
    ['dn: dc=x\ndc: x\ndn: dc=y\ndc: y', 3, 'empty line missing'],
    ['\n cn: x', 2, 'no line to continue'],
  ])('%j is refused in line %i', (text, line, problem) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ line, message: expect.stringContaining(problem) }));
  });

  test('that is not UTF-8 is refused with the line number', () => {
    const content = Buffer.concat([Buffer.from('dn: dc=x\ncn: '), Buffer.from([0xe9]), Buffer.from('\nsn: x')]);
    expect(() => parseLdif(content)).toThrow(expect.objectContaining({ line: 2 }));
  });

  test('is parsed alike however it is folded and encoded', () => {
    fc.assert(
      fc.property(
        fc.array(record, { maxLength: 5 }),
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 2, max: 80 }),
        (records, end, width) => {
          const read = parseLdif(Buffer.from(write(records, end, width)));
          expect(
            read.map(({ dn, attributes }) => ({
              dn,
              attributes: attributes.map(({ name, value }) => ({ name, value })),
            })),
          ).toEqual(records);
        },
      ),
    );
  });

  test('of arbitrary bytes is either parsed or refused with LdifError', () => {
    const lines = fc.array(
      fc.constantFrom('dn: dc=x', 'dn', ' ', '', '-', 'cn:', 'cn:: YQ==', '#', 'version: 1', '\0'),
    );
    const content = fc.oneof(
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      lines.map((lines) => Buffer.from(lines.join('\n'))),
    );
    fc.assert(
      fc.property(content, (content) => {
        try {
          parseLdif(content);
        } catch (error) {
          expect(error).toBeInstanceOf(LdifError);
        }
      }),
    );
  });
});

const attribute = fc.record({
  name: fc.constantFrom('cn', 'sn;lang-de', 'userCertificate;binary', '2.5.4.3'),
  value: fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  ),
});
const record = fc.record({ dn: fc.string(), attributes: fc.array(attribute, { minLength: 1, maxLength: 4 }) });

function write(
  records: readonly { dn: string; attributes: readonly { name: string; value: Buffer }[] }[],
  end: string,
  width: number,
): string {
  const line = (name: string, value: Buffer) => {
    const isSafe = /^[\x21-\x39\x3b\x3d-\x7e][\x20-\x7e]*$/.test(value.toString('latin1'));
    const whole = isSafe ? `${name}: ${value}` : `${name}:: ${value.toString('base64')}`;
    // Each continuation line begins with a space; the first piece must not be empty.
    return whole.match(new RegExp(`.{1,${width}}`, 'gs'))?.join(`${end} `);
  };
  return records
    .map(({ dn, attributes }) =>
      [line('dn', Buffer.from(dn)), ...attributes.map(({ name, value }) => line(name, value))].join(end),
    )
    .join(end + end);
}
