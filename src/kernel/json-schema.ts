import type { Type as TypeBox } from 'typebox';

export type { Static, TSchema } from 'typebox';

type Builders = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'Ref'
  | 'String'
  | 'Union'
  | 'Unsafe'
>;
type Schema = Readonly<Record<PropertyKey, unknown>>;

/** Symbol that marks an optional property; it is not part of the schema. */
const optional = Symbol('optional');

const typed = (type: string) => (options?: Schema) => ({ type, ...options });

/**
 * Builds JSON schemas typed by TypeBox. Only the types of the library are used: loading its several hundred modules
 * would take a quarter of the startup time.
 */
export const Type = {
  Boolean: typed('boolean'),
  Integer: typed('integer'),
  Null: typed('null'),
  Number: typed('number'),
  String: typed('string'),
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Object: (properties: Readonly<Record<string, Schema>>, options?: Schema) => {
    const required = Object.keys(properties).filter((name) => !(optional in (properties[name] ?? {})));
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
  },
  Optional: (schema: Schema) => Object.defineProperty({ ...schema }, optional, { value: true }),
  /** Schema of an object with arbitrary keys, which are always strings in JSON. */
  Record: (_key: Schema, value: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  Ref: ($ref: string, options?: Schema) => ({ $ref, ...options }),
  Union: (anyOf: readonly Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unsafe: (schema: Schema) => ({ ...schema }),
} as unknown as Builders;
