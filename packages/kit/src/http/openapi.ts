import { z } from 'zod';
import type { Answer, Content, Route } from './route.ts';

export type Json = Record<string, unknown>;

/** The routes of one listener. */
export interface DescribedApi {
  routes: readonly Route[];
  /** Name of the API, if the document describes several. */
  tag?: string;
  description?: string;
  /** URL of the listener. */
  server?: string;
}

export interface DocumentOptions {
  title: string;
  version: string;
  apis: readonly DescribedApi[];
  problems: Readonly<Record<string, { status: number; title: string }>>;
  problemSchema: z.ZodType;
  /** Additional schemas by name. */
  schemas?: Json;
  securitySchemes: Json;
}

/**
 * Returns the OpenAPI 3.1 document of routes, generated from the schemas that validate their
 * requests.
 *
 * No library: hono-openapi's validators skip a body of another media type, and its generator pulls
 * imports of six schema libraries into an edge bundle; @hono/zod-openapi patches zod and generates
 * schemas that differ from the published ones.
 */
export function openApiDocument(options: DocumentOptions): Json {
  const { apis, problemSchema, problems, schemas, securitySchemes, title, version } = options;
  const paths: Record<string, Json> = {};
  for (const { routes, server, tag } of apis) {
    for (const route of routes) {
      const path = route.path.replace(/:(\w+)/g, '{$1}');
      paths[path] = {
        ...paths[path],
        servers: server === undefined ? undefined : [{ url: server }],
        [route.method]: { tags: tag === undefined ? undefined : [tag], ...described(route) },
      };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description:
        'Money is integer minor units with its currency. Times are ISO 8601 in UTC. Every error is a problem (RFC 9457) with a stable code and the request’s id.',
    },
    tags: apis.some(({ tag }) => tag !== undefined)
      ? apis.map(({ tag, description }) => ({ name: tag, description }))
      : undefined,
    paths,
    components: {
      schemas: { Problem: jsonSchema(problemSchema, 'output'), ...schemas },
      securitySchemes,
    },
  };

  function described(route: Route): Json {
    const { answers, body, description, id, security = [], summary } = route;
    return {
      operationId: id,
      summary,
      description,
      security,
      parameters: parametersOf(route),
      requestBody: body && {
        required: true,
        ...contentOf({ ...body, schema: body.documented ?? body.schema }, 'input'),
      },
      responses: {
        ...mapValues(answers, describeAnswer),
        ...problemAnswers(route.problems ?? []),
      },
    };
  }

  /** Returns the responses for problems. Several codes may share one status. */
  function problemAnswers(codes: readonly string[]): Json {
    const byStatus = Map.groupBy(new Set(codes), (code) => problems[code]?.status);
    const schema = { $ref: '#/components/schemas/Problem' };
    return Object.fromEntries(
      Array.from(byStatus, ([status, codes]) => [
        String(status),
        {
          description: codes.map((code) => `\`${code}\`: ${problems[code]?.title}.`).join(' '),
          content: { 'application/problem+json': { schema } },
        },
      ]),
    );
  }
}

function parametersOf({ headers = {}, parameters, path, query }: Route): Json[] {
  const text = { type: 'string' };
  const shape = parameters?.shape ?? (query instanceof z.ZodObject ? query.shape : {});
  return [
    ...Array.from(path.matchAll(/:(\w+)/g), ([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: text,
    })),
    ...Object.entries(headers).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: text,
    })),
    ...Object.entries(shape as Record<string, z.ZodType>).map(([name, schema]) => ({
      name,
      in: 'query',
      required: !schema.safeParse(undefined).success,
      schema: jsonSchema(schema, 'input'),
    })),
  ];
}

function describeAnswer({ description = 'The answer.', ...content }: Answer): Json {
  const isEmpty = content.schema === undefined && content.contentTypes === undefined;
  return { description, ...(isEmpty ? {} : contentOf(content, 'output')) };
}

const JSON_TYPE = 'application/json';

function contentOf({ contentTypes = [JSON_TYPE], schema }: Content, io: Io): Json {
  if (contentTypes.length === 0) return {};
  const json = schema === undefined ? {} : jsonSchema(schema, io);
  // JSON content has the schema of the JSON; other types are files with the same content.
  const isFile = (type: string) => contentTypes.includes(JSON_TYPE) && type !== JSON_TYPE;
  const described = contentTypes.map((type) => [
    type,
    { schema: isFile(type) ? { type: 'string' } : json },
  ]);
  return { content: Object.fromEntries(described) as Json };
}

type Io = 'input' | 'output';

/**
 * Converts a schema to JSON Schema. Omits what JSON Schema cannot express, such as amounts that
 * must add up.
 */
export function jsonSchema(schema: z.ZodType, io: Io): Json {
  const json: Json = { ...z.toJSONSchema(schema, { io, unrepresentable: 'any' }) };
  delete json.$schema;
  return json;
}

function mapValues<Value, Result>(
  object: Readonly<Record<string, Value>>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}
