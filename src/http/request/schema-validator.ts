import { AjvCompiler, type BuildCompilerFromPool } from '@fastify/ajv-compiler';

/** What Fastify says of a schema to compile, beyond its own types. */
interface SchemaPlace {
  readonly httpPart?: string;
  readonly contentType?: string;
}

/**
 * Parameters arrive as text and are read as their type; in a JSON body a number in place of a text is a mistake. The
 * schema of a form describes it for people; its handler reads and checks it as it arrives.
 */
export function validatorFactory(): BuildCompilerFromPool {
  const factory = AjvCompiler();
  return (externalSchemas) => {
    const build = (coerceTypes: boolean | 'array') =>
      factory(externalSchemas, {
        customOptions: { useDefaults: true, allErrors: false, allowUnionTypes: true, coerceTypes },
      });
    const ofBody = build(false);
    const ofParameters = build('array');
    const ofForm = (() => true) as unknown as ReturnType<typeof ofBody>;
    return (route: Parameters<typeof ofBody>[0] & SchemaPlace) => {
      if (route.contentType === 'multipart/form-data') return ofForm;
      return route.httpPart === 'body' ? ofBody(route) : ofParameters(route);
    };
  };
}
