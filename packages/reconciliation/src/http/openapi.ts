import { type ProblemCode, problems, problemSchema } from '@financing-checkout/contract';
import { z } from 'zod';
import type { Operation } from './operation.ts';

type Json = Record<string, unknown>;

const common: readonly ProblemCode[] = [
  'invalid-request',
  'token-invalid',
  'token-not-permitted',
  'origin-not-allowed',
  'not-ready',
  'store-unavailable',
  'internal',
];

/**
 * Returns the OpenAPI 3.1 document of the API, generated from the schemas that validate requests.
 */
export function openApiDocument(operations: readonly Operation[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Financing Checkout reconciliation',
      version,
      description:
        'Money is integer minor units with its currency. Times are ISO 8601 in UTC. Every error is a problem (RFC 9457) with a stable code and the request’s id.',
    },
    paths,
    components: {
      schemas: { Problem: jsonSchema(problemSchema, 'output') },
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A token of RECONCILIATION_TOKENS with the scope that is named. On loopback where none is set, every scope except `money` needs none.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-financing-console-443',
          description:
            'The cookie of a session of the console, from `POST /console/session`; its name ends with the port of the address, and on loopback it has no `__Host-`. Only pages of the same origin may use it, and only with `Financing-Console: 1` for other methods than GET and HEAD.',
        },
      },
    },
  };
}

function describe(operation: Operation): Json {
  const { scope, answer, body, isOfSession = false, summary, description } = operation;
  return {
    operationId:
      operation.method +
      operation.path
        .split(/[^a-zA-Z]+/)
        .map(capitalized)
        .join(''),
    summary,
    description,
    security:
      scope === 'none' ? [] : [...(isOfSession ? [] : [{ token: [scope] }]), { session: [scope] }],
    parameters: parametersOf(operation),
    ...(body && {
      requestBody: { required: true, content: contentOf(body.contentTypes, body.schema, 'input') },
    }),
    responses: {
      [answer.status ?? 200]: {
        description: 'The answer.',
        ...(answer.contentTypes?.length === 0
          ? {}
          : {
              content: contentOf(
                answer.contentTypes ?? ['application/json'],
                answer.schema,
                'output',
              ),
            }),
      },
      ...problemsOf(operation),
    },
  };
}

function parametersOf({ path, query, headers }: Operation): Json[] {
  const text = { type: 'string' };
  return [
    ...Array.from(path.matchAll(/:(\w+)/g), ([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: text,
    })),
    ...Object.entries(headers ?? {}).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: text,
    })),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
      name,
      in: 'query',
      required: !schema.safeParse(undefined).success,
      schema: jsonSchema(schema, 'input'),
    })),
  ];
}

function contentOf(
  types: readonly string[],
  schema: z.ZodType | undefined,
  io: 'input' | 'output',
): Json {
  const content = { schema: schema === undefined ? {} : jsonSchema(schema, io) };
  return Object.fromEntries(types.map((type) => [type, content]));
}

function problemsOf({ scope, problems: own = [] }: Operation): Json {
  const codes = scope === 'none' ? own : [...common, ...own];
  const byStatus = Map.groupBy(codes, (code) => problems[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => [
      status,
      {
        description: some.join(', '),
        content: {
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        },
      },
    ]),
  );
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  void $schema;
  return rest;
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
