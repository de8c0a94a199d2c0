import type { ProblemCode } from '@financing-checkout/contract';
import {
  describedTicketClaimsSchema,
  MAX_ORDER_TICKET_LENGTH,
  problems,
  problemSchema,
} from '@financing-checkout/contract';
import { z } from 'zod';
import {
  type Access,
  isScope,
  type Operation,
  type OperationAnswer,
  type Scope,
} from './operation.ts';

/** A JSON object. */
export type Json = Record<string, unknown>;

/** One API of the document: its operations, and the address they are reached under. */
export interface DescribedApi {
  tag: string;
  description: string;
  /** Address of the listener, as the document names it. */
  server: string;
  operations: readonly Operation[];
}

/** How a request proves its access, as the document names it. */
type Scheme = Exclude<Access, Scope> | 'back-office-token';

export function schemeOf(access: Access): Scheme {
  return isScope(access) ? 'back-office-token' : access;
}

/** Problems that a scheme brings with it, whatever the operation. */
const schemeProblems: Record<Scheme, readonly ProblemCode[]> = {
  none: [],
  'public-key': [
    'invalid-request',
    'version-unsupported',
    'private-key-exposed',
    'public-key-invalid',
    'origin-not-allowed',
    'request-too-large',
    'rate-limited',
    'store-unavailable',
    'internal',
  ],
  'back-office-token': [
    'invalid-request',
    'token-invalid',
    'origin-not-allowed',
    'request-too-large',
    'store-unavailable',
    'internal',
  ],
  notification: [
    'token-invalid',
    'not-found',
    'request-too-large',
    'store-unavailable',
    'internal',
  ],
};

/**
 * The OpenAPI 3.1 document of some APIs, made of the very schemas that check requests and describe
 * answers: what is not in them is not promised.
 */
export function openApiDocument(version: string, apis: readonly DescribedApi[]): Json {
  const paths: Record<string, Json> = {};
  for (const { tag, server, operations } of apis) {
    for (const operation of operations) {
      const path = openApiPath(operation.path);
      paths[path] = {
        ...paths[path],
        servers: [{ url: server }],
        [operation.method]: { tags: [tag], ...describe(operation) },
      };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Financing Checkout companion',
      version,
      description:
        'Money is integer minor units with its currency. Times are ISO 8601 in UTC. Every error is a problem (RFC 9457) with a stable code and the request’s id.',
    },
    tags: apis.map(({ tag, description }) => ({ name: tag, description })),
    paths,
    components: {
      schemas: {
        Problem: jsonSchema(problemSchema, 'output'),
        OrderTicketClaims: {
          ...jsonSchema(describedTicketClaimsSchema, 'output'),
          description: ticketDescription,
        },
      },
      securitySchemes: {
        'public-key': { type: 'http', scheme: 'bearer', description: 'The Public API Key.' },
        'back-office-token': {
          type: 'http',
          scheme: 'bearer',
          description:
            'A token of the back office with the scope that is named; none is needed on loopback where none is set.',
        },
        notification: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The value that was agreed with the financing service.',
        },
      },
    },
  };
}

/** What JSON Schema cannot say of a ticket. */
const ticketDescription = `The payload of an order ticket, a JWT (RFC 7519) signed with HS256, of at most ${MAX_ORDER_TICKET_LENGTH} characters in all. Amounts are integer minor units of \`currency\`. items + warranties (once a line) − discounts + tax + shipping + tax on shipping must equal \`totalAmount\`; the tax and the discounts of a line do not count. Lengths are in UTF-16 units. An optional text that is blank or null is absent, and a value of \`consumer\` that does not conform is left out.`;

/** `/checkout/:id` as OpenAPI writes it. */
export function openApiPath(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function describe(operation: Operation): Json {
  const { access, body } = operation;
  return {
    operationId: operationId(operation),
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    security: security(access),
    parameters: parameters(operation),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: contentOf(body, 'input'),
          },
        }),
    responses: { ...answers(operation), ...problemAnswers(operation) },
  };
}

function security(access: Access): Json[] {
  return access === 'none' ? [] : [{ [schemeOf(access)]: isScope(access) ? [access] : [] }];
}

function operationId({ method, path }: Operation): string {
  const words = path.split(/[^a-zA-Z]+/).filter((word) => word !== '');
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function parameters({ path, query, headers }: Operation): Json[] {
  const inPath = Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inHeaders = Object.entries(headers ?? {}).map(([name, description]) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !schema.safeParse(undefined).success,
    schema: jsonSchema(schema, 'input'),
  }));
  return [...inPath, ...inHeaders, ...inQuery];
}

function answers(operation: Operation): Json {
  return Object.fromEntries(
    Object.entries(operation.answers).map(([status, answer]) => [
      status,
      {
        description: answer.description,
        ...(answer.schema === undefined && answer.contentType === undefined
          ? {}
          : { content: contentOf(answer, 'output') }),
      },
    ]),
  );
}

/** Of each media type that something may have, what is in it. */
function contentOf(
  {
    schema = z.string(),
    contentType = 'application/json',
    others,
  }: Omit<OperationAnswer, 'description'>,
  io: 'input' | 'output',
): Json {
  return Object.fromEntries(
    Object.entries({ [contentType]: schema, ...others }).map(([type, one]) => [
      type,
      { schema: jsonSchema(one, io) },
    ]),
  );
}

/** The problems of an operation, by status: several codes share one. */
export function problemsOf({ access, problems: own = [], body }: Operation): ProblemCode[] {
  const json = access !== 'none' && access !== 'notification' && body !== undefined;
  const media: ProblemCode[] = json ? ['media-type-unsupported'] : [];
  // Every token permits `read`.
  const scope: ProblemCode[] = isScope(access) && access !== 'read' ? ['token-not-permitted'] : [];
  return [...new Set([...schemeProblems[schemeOf(access)], ...scope, ...media, ...own])];
}

function problemAnswers(operation: Operation): Json {
  const byStatus = Map.groupBy(problemsOf(operation), (code) => problems[code].status);
  return Object.fromEntries(
    Array.from(byStatus, ([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${problems[code].title}.`).join(' '),
        content: {
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        },
      },
    ]),
  );
}

/** A schema as JSON Schema, of what goes in or of what comes out. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  // What JSON Schema cannot say (a sum that must add up) is checked all the same.
  const json: Json = { ...z.toJSONSchema(schema, { io, unrepresentable: 'any' }) };
  delete json.$schema;
  return json;
}
