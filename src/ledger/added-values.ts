import type { DigestibleEntry } from './entry-fields.js';

/** Names of the properties to which this program adds values of devices. */
export const valuesProperties = { atCreation: 'Device Values', atEvents: 'Device Values at Events' } as const;
/** Attributes of these properties that describe the others: moments and sources, and what was left out. */
export const describingAttributes = { moments: 'read', leftOut: 'left out' } as const;
/** Beginning of a text that replaces a value, and states why the value is missing. */
export const notAvailable = 'not available: ';

type Property = DigestibleEntry['properties'][number];
type Attributes = Property['attributes'];

/** Former attributes of properties to which values were added, each with the position of its property. */
export type FormerAttributes = readonly (readonly [number, Attributes])[];

/** Returns the attributes of a version in properties to which a later version has added values. */
export function formerAttributesOf(former: DigestibleEntry, next: DigestibleEntry): FormerAttributes {
  return former.properties.flatMap((property, at) => {
    const later = next.properties[at];
    return later && later !== property && !isSame(later, property) && hasOnlyAdded(property.attributes, later)
      ? [[at, property.attributes] as const]
      : [];
  });
}

/** Returns the properties with former attributes. Leaves a property unchanged if not only values were added. */
export function withFormerAttributes(
  properties: DigestibleEntry['properties'],
  formers: FormerAttributes,
): DigestibleEntry['properties'] {
  if (formers.length === 0) return properties;
  const byPlace = new Map(formers);
  return properties.map((property, at) => {
    const attributes = byPlace.get(at);
    return attributes && hasOnlyAdded(attributes, property) ? { ...property, attributes } : property;
  });
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Whether this program adds values to the attributes of a property of this name, in any spelling. */
export const isValuesProperty = (propertyName: string): boolean =>
  Object.values(valuesProperties).some((one) => one.toLowerCase() === propertyName.trim().toLowerCase());

/** Whether values were only added to a property, or have replaced the reasons why they were missing. */
function hasOnlyAdded(former: Attributes, { name, attributes }: Property): boolean {
  // A client may have given several attributes the same name. They stay in their order.
  const later = new Map<string, Attributes[number][]>();
  for (const attribute of attributes) {
    const alike = later.get(attribute.name);
    if (alike) alike.push(attribute);
    else later.set(attribute.name, [attribute]);
  }
  return (
    isValuesProperty(name) &&
    former.every((attribute) => {
      if (attribute.name === describingAttributes.leftOut) return true;
      const next = later.get(attribute.name)?.shift();
      return next?.state === attribute.state && (hasSameValue(attribute, next) || mayBecome(attribute, next.value));
    })
  );
}

const hasSameValue = (one: Attributes[number], other: Attributes[number]): boolean =>
  one.value === other.value && isSame(one.sample, other.sample);

/** Whether a value of an attribute may be replaced: further moments are appended, and a value replaces a reason. */
function mayBecome({ name, value }: Attributes[number], next: string | null): boolean {
  if (name === describingAttributes.moments) return !value || (next?.startsWith(`${value}; `) ?? false);
  return value?.startsWith(notAvailable) ?? false;
}

/** Encodes former attributes without the characters that separate extents. */
export const encodeFormerAttributes = (formers: FormerAttributes): string =>
  formers.length === 0 ? '' : Buffer.from(JSON.stringify(formers)).toString('base64url');

/** Decodes the result of `encodeFormerAttributes`; returns an empty list for any other text. */
export function decodeFormerAttributes(encoded: string): FormerAttributes {
  if (encoded === '') return [];
  try {
    const decoded: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString());
    return isFormerAttributes(decoded) ? decoded : [];
  } catch {
    return [];
  }
}

function isFormerAttributes(decoded: unknown): decoded is FormerAttributes {
  const isAttribute = (one: unknown) =>
    typeof one === 'object' &&
    one !== null &&
    'name' in one &&
    typeof one.name === 'string' &&
    'value' in one &&
    (typeof one.value === 'string' || one.value === null) &&
    'state' in one;
  return (
    Array.isArray(decoded) &&
    decoded.every(
      (one: unknown) =>
        Array.isArray(one) && typeof one[0] === 'number' && Array.isArray(one[1]) && one[1].every(isAttribute),
    )
  );
}
