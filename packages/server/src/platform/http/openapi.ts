import type { ProblemCode } from '@financing-checkout/contract';
import {
  describedTicketClaimsSchema,
  MAX_ORDER_TICKET_LENGTH,
  problems,
  problemSchema,
} from '@financing-checkout/contract';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { RouterRoute } from 'hono/types';
import { findTargetHandler } from 'hono/utils/handler';
import { z } from 'zod';
import type { Env } from './requests.ts';
import type { Terms } from './terms.ts';

/** A JSON object. */
export type Json = Record<string, unknown>;

/** What a request carries or an answer holds. */
interface Content {
  schema?: z.ZodType;
  /** @default 'application/json' */
  contentType?: string;
}

interface Answer extends Content {
  description: string;
}

/** On which terms a route serves, and what the OpenAPI document says of it. The schemas are those that check its requests. */
export interface RouteDescription extends Terms {
  summary: string;
  description?: string;
  query?: { shape: Readonly<Record<string, z.ZodType>> };
  /** Required headers, except Authorization, with their descriptions. */
  headers?: Record<string, string>;
  body?: Content;
  /** By HTTP status, or by a class of them. */
  answers: Readonly<Record<string, Answer>>;
  problems?: readonly ProblemCode[];
  /** Name of the security scheme, and the scopes that it needs. @default none */
  security?: Readonly<Record<string, readonly string[]>>;
}

/** The description of a route, by the middleware that stands before its handler. */
const descriptions = new WeakMap<object, RouteDescription>();

/**
 * Describes a route in the OpenAPI document; stands before its handler.
 *
 * No library: hono-openapi's validators skip a body of another media type, and its generator brings
 * imports of six schema libraries into an edge bundle; @hono/zod-openapi patches zod and writes other
 * schemas than the published ones.
 */
export function describe(route: RouteDescription): MiddlewareHandler<Env> {
  const middleware: MiddlewareHandler<Env> = (_, next) => next();
  descriptions.set(middleware, route);
  return middleware;
}

/** Returns the description of a route that a request matched, if it has one. */
export function descriptionOf({ handler }: RouterRoute): RouteDescription | undefined {
  // Hono wraps the handlers of an app that is mounted in another one.
  return descriptions.get(findTargetHandler(handler));
}

/** Returns the description of the route that answers a request; undefined for 404 and 405. */
export function descriptionFor(c: Context<Env>): RouteDescription | undefined {
  return matchedRoutes(c)
    .map(descriptionOf)
    .find((found) => found !== undefined);
}

/** One API of the document, and the address of its listener. */
interface DescribedApi {
  tag: string;
  description: string;
  server: string;
  app: Hono<Env>;
}

/** Returns the OpenAPI 3.1 document of the described routes. */
export function openApiDocument(version: string, apis: readonly DescribedApi[]): Json {
  const paths: Record<string, Json> = {};
  for (const { app, server, tag } of apis) {
    for (const route of app.routes) {
      const description = descriptionOf(route);
      if (description === undefined) continue;
      const path = route.path.replace(/:(\w+)/g, '{$1}');
      const operation = { tags: [tag], ...describeOperation(route, description) };
      paths[path] = {
        ...paths[path],
        servers: [{ url: server }],
        [route.method.toLowerCase()]: operation,
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
      securitySchemes,
    },
  };
}

const securitySchemes = {
  'public-key': { type: 'http', scheme: 'bearer', description: 'The Public API Key.' },
  'back-office-token': {
    type: 'http',
    scheme: 'bearer',
    description:
      'A back-office token with the named scope. On loopback without configured tokens, `read` needs none.',
  },
  notification: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The value that was agreed with the financing service.',
  },
};

/** What JSON Schema cannot say of a ticket. */
const ticketDescription = `The payload of an order ticket, a JWT (RFC 7519) signed with HS256, of at most ${MAX_ORDER_TICKET_LENGTH} characters in all. Amounts are integer minor units of \`currency\`. items + warranties (once a line) − discounts + tax + shipping + tax on shipping must equal \`totalAmount\`; the tax and the discounts of a line do not count. Lengths are in UTF-16 units. An optional text that is blank or null is absent, an optional object also if it is \`{}\` or \`[]\`, and a value of \`consumer\` that does not conform is left out.`;

function describeOperation({ method, path }: RouterRoute, route: RouteDescription): Json {
  const { answers, body, description, problems: codes = [], security, summary } = route;
  return {
    operationId: operationId(method, path),
    summary,
    description,
    security: security === undefined ? [] : [security],
    parameters: parametersOf(path, route),
    ...(body === undefined ? {} : { requestBody: { required: true, ...contentOf(body, 'input') } }),
    responses: { ...mapValues(answers, describeAnswer), ...problemAnswers(codes) },
  };
}

/** Returns the name of an operation for generated clients: `getCheckoutId`. */
function operationId(method: string, path: string): string {
  const words = path.split(/[^a-zA-Z]+/).filter((word) => word !== '');
  return (
    method.toLowerCase() +
    words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  );
}

function parametersOf(path: string, { headers = {}, query }: RouteDescription): Json[] {
  return [
    ...Array.from(path.matchAll(/:(\w+)/g), ([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...Object.entries(headers).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
      name,
      in: 'query',
      required: !schema.safeParse(undefined).success,
      schema: jsonSchema(schema, 'input'),
    })),
  ];
}

function describeAnswer({ description, ...content }: Answer): Json {
  return { description, ...contentOf(content, 'output') };
}

function contentOf({ contentType, schema }: Content, io: 'input' | 'output'): Json {
  if (schema === undefined && contentType === undefined) return {};
  const json = jsonSchema(schema ?? z.string(), io);
  return { content: { [contentType ?? 'application/json']: { schema: json } } };
}

/** Returns the answers for problems. Several codes share one status. */
function problemAnswers(codes: readonly ProblemCode[]): Json {
  const byStatus = Map.groupBy(new Set(codes), (code) => problems[code].status);
  const schema = { $ref: '#/components/schemas/Problem' };
  return Object.fromEntries(
    Array.from(byStatus, ([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${problems[code].title}.`).join(' '),
        content: { 'application/problem+json': { schema } },
      },
    ]),
  );
}

/** Returns a schema as JSON Schema. What that cannot express (a sum that must add up) is left out. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
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
