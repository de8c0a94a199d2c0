import { z } from 'zod';
import type { Route } from './route.ts';

/*
 * What every route of an API must do follows from its declaration: which requests it refuses, and
 * which answers it may give. A test of a program sends the requests of all of its routes.
 */

/** A request that its route fulfills. */
export interface Example {
  /** Values of the parameters of the path. @default 'none' for each */
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  /** A text, and bytes, are sent as they are. @default {} for a method with a body */
  body?: unknown;
}

/** How a request differs from the example of its route. */
export interface Change {
  method?: string;
  /** Parameters that are added. */
  query?: readonly (readonly [name: string, value: string])[];
  /** Undefined removes a header. */
  headers?: Readonly<Record<string, string | undefined>>;
  body?: string;
  /** Replaces each parameter of the path. */
  parameter?: string;
}

/** A request that a route must refuse. */
export interface Refusal {
  what: string;
  change: Change;
  /** Code of the problem. */
  code: string;
  /** Headers of the answer. */
  headers?: Readonly<Record<string, string>>;
  /** The field that the problem names. */
  field?: string;
  /** A part of the detail. */
  detail?: string;
}

export interface LawAnswer {
  status: number;
  headers: { get(name: string): string | null };
  text: string;
}

export type ProblemTable = Readonly<Record<string, { status: number }>>;

const json = 'application/json';

/** Returns the name of a route: `GET /charges/:chargeId`. */
export const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;
/** Returns whether a route needs an Idempotency-Key. */
export const hasKey = ({ headers = {} }: Route) => 'Idempotency-Key' in headers;

/** Returns the URL and the request of an example. @param caller headers of a permitted caller */
export function requestOf(
  route: Route,
  example: Example,
  caller: Readonly<Record<string, string>>,
  change: Change = {},
): [url: string, init: RequestInit & { headers: Record<string, string> }] {
  const path = route.path.replaceAll(
    /:(\w+)/g,
    (_, name: string) => change.parameter ?? encodeURIComponent(example.path?.[name] ?? 'none'),
  );
  const query = new URLSearchParams(example.query);
  for (const [name, value] of change.query ?? []) query.append(name, value);
  const method = change.method ?? route.method.toUpperCase();
  const isRead = method === 'GET' || method === 'HEAD' || method === 'BREW';
  const hasBody = method === 'DELETE' ? route.body !== undefined : !isRead;
  const headers: Record<string, string | undefined> = {
    ...caller,
    ...(hasBody && { 'content-type': typeOf(route) }),
    ...example.headers,
    ...change.headers,
  };
  const body = change.body ?? contentOf(example.body ?? {});
  return [
    query.size === 0 ? path : `${path}?${query.toString()}`,
    {
      method,
      headers: Object.fromEntries(
        Object.entries(headers).filter((one): one is [string, string] => one[1] !== undefined),
      ),
      ...(hasBody && { body }),
    },
  ];
}

const typeOf = ({ body }: Route) => body?.contentTypes?.[0] ?? json;
const contentOf = (body: unknown) =>
  typeof body === 'string' || body instanceof ArrayBuffer ? body : JSON.stringify(body);

/** Lists the requests that a route must refuse, whoever sends them. @param routes those of its listener */
export function refusalsOf(route: Route, routes: readonly Route[], example: Example): Refusal[] {
  const declares = (code: string) => route.problems?.includes(code) === true;
  return [
    ...otherMethods(route, routes),
    ...(declares('invalid-request')
      ? [...wrongQueries(route), ...wrongBodies(route, example)]
      : []),
    ...(declares('media-type-unsupported') ? wrongTypes(route) : []),
    ...(declares('request-too-large') ? largeBodies(route) : []),
    ...(declares('idempotency-key-missing') ? wrongKeys : []),
  ];
}

/** RFC 9110 15.5.6. */
function otherMethods(route: Route, routes: readonly Route[]): Refusal[] {
  const address = route.path.replaceAll(/:\w+/g, 'none');
  const here = routes.filter(({ path }) => path === route.path);
  const isAlone = routes.every(({ path }) => path === route.path || !isAt(path, address));
  const allow = here.flatMap(({ method }) =>
    method === 'get' ? ['GET', 'HEAD'] : method.toUpperCase(),
  );
  return ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'BREW']
    .filter(
      (method) =>
        !routes.some((one) => one.method.toUpperCase() === method && isAt(one.path, address)),
    )
    .map((method) => ({
      what: `the method ${method}`,
      change: { method },
      code: 'method-not-allowed',
      ...(isAlone && { headers: { allow: allow.join(', ') } }),
    }));
}

function wrongQueries(route: Route): Refusal[] {
  const code = 'invalid-request';
  const inPath: Refusal[] = route.path.includes(':')
    ? [{ what: 'NUL in the path', change: { parameter: 'a%00b' }, code }]
    : [];
  if (route.query === undefined) return inPath;
  const shape =
    route.parameters?.shape ?? (route.query instanceof z.ZodObject ? route.query.shape : {});
  const fields = Object.entries(shape as Record<string, z.ZodType>).flatMap(([name, schema]) => {
    const wrong = ['', '?', 'x'.repeat(3_000)].find((text) => !schema.safeParse(text).success);
    const isList = schema.safeParse(['x', 'x']).success;
    return [
      ...(isList
        ? []
        : [
            {
              what: `${name} twice`,
              change: {
                query: [
                  [name, 'x'],
                  [name, 'x'],
                ] as const,
              },
              code,
            },
          ]),
      ...(wrong === undefined
        ? []
        : [{ what: `a wrong ${name}`, change: { query: [[name, wrong]] as const }, code }]),
    ];
  });
  const unknown = {
    what: 'an unknown parameter',
    change: { query: [['unknown', '1']] as const },
    code,
  };
  return [...inPath, unknown, ...fields];
}

function wrongBodies(route: Route, example: Example): Refusal[] {
  const { schema, isStreamed = false } = route.body ?? {};
  if (schema === undefined || isStreamed || typeOf(route) !== json) return [];
  const code = 'invalid-request';
  const texts = [
    { what: 'no body', change: { body: '' }, code },
    { what: 'a body that is not JSON', change: { body: '{"a":' }, code },
  ];
  const valid = example.body ?? {};
  if (!(schema instanceof z.ZodObject) || typeof valid !== 'object') return texts;
  const sent = (name: string, value: unknown) => ({
    body: JSON.stringify({ ...valid, [name]: value }),
  });
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(
    ([name, field]) => {
      const wrong = [{ no: 1 }, [], -1, ''].find((value) => !field.safeParse(value).success);
      if (wrong === undefined) return [];
      return [{ what: `a wrong ${name}`, change: sent(name, wrong), code, field: name }];
    },
  );
  const isStrict = !schema.safeParse({ ...valid, unknown: 1 }).success;
  return [
    ...texts,
    ...(isStrict ? [{ what: 'an unknown field', change: sent('unknown', 1), code }] : []),
    ...fields,
  ];
}

function wrongTypes(route: Route): Refusal[] {
  const taken = route.body?.contentTypes ?? [json];
  const types = [
    '',
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    json,
  ];
  const code = 'media-type-unsupported';
  return [
    ...types
      .filter((type) => !taken.includes(type))
      .map((type) => ({
        what: `the media type "${type}"`,
        change: { headers: { 'content-type': type } },
        code,
      })),
    {
      what: 'a compressed body',
      change: { headers: { 'content-encoding': 'gzip' } },
      code,
      headers: { 'accept-encoding': 'identity' },
    },
  ];
}

function largeBodies({ maxBodyBytes }: Route): Refusal[] {
  if (typeof maxBodyBytes !== 'number' || maxBodyBytes === 0) return [];
  const body = ' '.repeat(maxBodyBytes + 1);
  const headers = { 'content-length': String(body.length) };
  return [{ what: 'a large body', change: { body, headers }, code: 'request-too-large' }];
}

const wrongKeys: Refusal[] = [
  undefined,
  '',
  'x'.repeat(256),
  'with space',
  'ümlaut',
  'del\x7f',
].map((key) => ({
  what: `the key ${JSON.stringify(key?.slice(0, 12))}`,
  change: { headers: { 'idempotency-key': key } },
  code: 'idempotency-key-missing',
}));

/** A request for another environment. */
export const otherEnvironment: Refusal = {
  what: 'another environment',
  change: { headers: { 'financing-environment': 'elsewhere' } },
  code: 'environment-mismatch',
};

/**
 * Lists the requests of callers that a route with a scope must refuse.
 * @param tokens a token of each scope @param setting name of the setting of tokens
 */
export function callerRefusals(
  { scope }: Pick<Route, 'scope'>,
  tokens: Readonly<Record<string, string>>,
  setting: string,
): Refusal[] {
  const own = tokens[scope] ?? '';
  const wrong = [
    undefined,
    '',
    'Bearer wrong',
    `Bearer ${own.slice(0, -1)}`,
    `Bearer ${own}x`,
    `Basic ${own}`,
  ];
  return [
    ...wrong.map((authorization) => ({
      what: `the authorization ${String(authorization)}`,
      change: { headers: { authorization } },
      code: 'token-invalid',
      headers: { 'www-authenticate': 'Bearer' },
    })),
    ...Object.entries(tokens)
      .filter(([name]) => scope !== 'read' && name !== scope)
      .map(([name, token]) => ({
        what: `a token with the scope ${name}`,
        change: { headers: { authorization: `Bearer ${token}` } },
        code: 'token-not-permitted',
        headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
        detail: `This needs a token with the scope "${scope}": add the scope to the token in ${setting}.`,
      })),
  ];
}

/** Requests that may come from another machine, which no listener without tokens serves. */
export const otherMachines: readonly Refusal[] = Object.entries({
  'a page of another site': { origin: 'https://other.example' },
  'a page without an origin': { origin: 'null' },
  'an image of another site': { 'sec-fetch-site': 'cross-site' },
  'an image of a sibling host': { 'sec-fetch-site': 'same-site' },
  'a foreign host name': { host: 'rebound.example:4002' },
  'a host name that begins like this machine': { host: '127.0.0.1.rebound.example:4002' },
  // A proxy sends the loopback address as Host by default.
  ...Object.fromEntries(
    ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'].map((name) => [
      name,
      { host: '127.0.0.1:4002', [name]: '203.0.113.7' },
    ]),
  ),
}).map(([what, headers]) => ({ what, change: { headers }, code: 'origin-not-allowed' }));

/** Sends requests that must be refused. @returns how their answers differ from refusals */
export async function refusalDifferences(
  refusals: readonly Refusal[],
  problems: ProblemTable,
  send: (change: Change) => Promise<LawAnswer>,
): Promise<string[]> {
  const differences: (string | undefined)[] = [];
  for (const refusal of refusals) {
    differences.push(refusalDifference(refusal, problems, await send(refusal.change)));
  }
  return differences.filter((one) => one !== undefined);
}

function refusalDifference(
  { change, code, detail, field, headers = {}, what }: Refusal,
  problems: ProblemTable,
  answer: LawAnswer,
): string | undefined {
  const body = parsed(answer.text) as {
    code?: string;
    detail?: string;
    errors?: { path: string }[];
  };
  const found = [answer.status, answer.text.startsWith('{') ? body.code : undefined];
  // Each text of the shopper's form is a page.
  const isPage = answer.headers.get('content-type')?.startsWith('text/html') === true;
  const isRefused =
    found[0] === problems[code]?.status &&
    (found[1] === code || (isPage && answer.text.includes(code)));
  const missing = Object.entries(headers).filter(
    ([name, value]) => answer.headers.get(name) !== value,
  );
  const isNamed =
    field === undefined || body.errors?.some(({ path }) => path.split('.')[0] === field) === true;
  const isExplained = detail === undefined || body.detail?.includes(detail) === true;
  if (isRefused && missing.length === 0 && isNamed && isExplained) return undefined;
  return `${what}: ${change.method ?? ''} ${String(found)} ${JSON.stringify(missing)} ${answer.text.slice(0, 300)}, not ${code}`;
}

/** Returns the route that answers a request; undefined for 404 and 405. */
export function findRoute(
  routes: readonly Route[],
  method: string,
  url: string,
): Route | undefined {
  const path = new URL(url, 'http://localhost').pathname;
  const wanted = method === 'HEAD' ? 'get' : method.toLowerCase();
  const parameters = (one: Route) => one.path.split(':').length;
  return routes
    .filter((one) => one.method === wanted && isAt(one.path, path))
    .toSorted((one, other) => parameters(one) - parameters(other))[0];
}

function isAt(template: string, path: string): boolean {
  const parts = path.split('/');
  const own = template.split('/');
  return (
    own.length === parts.length &&
    own.every((part, at) => (part.startsWith(':') ? parts[at] !== '' : part === parts[at]))
  );
}

/** Refusals before a route is known. */
const ofEveryRoute = new Set(['method-not-allowed', 'transfer-coding-unsupported', 'internal']);

/**
 * Returns how an answer differs from the declaration of its route, if it does: its status, media
 * type, shape, or the code of its problem.
 */
export function answerDifference(
  route: Route,
  problems: ProblemTable,
  { headers, status, text }: LawAnswer,
): string | undefined {
  const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
  const differs = (how: string) => `${nameOf(route)} ${status}: ${how}`;
  if (type === 'application/problem+json') {
    const { code = '', requestId } = parsed(text) as { code?: string; requestId?: string };
    if (problems[code]?.status !== status)
      return differs(`the problem "${code}" has another status`);
    if (requestId !== headers.get('x-request-id')) return differs('another request id');
    if (route.problems?.includes(code) === true || ofEveryRoute.has(code)) return undefined;
    return differs(`the problem "${code}" is not declared`);
  }
  // A response to If-None-Match (RFC 9110 15.4.5).
  if (status === 304 && text === '') return undefined;
  const declared = route.answers[status] ?? route.answers[`${String(status).charAt(0)}XX`];
  if (declared === undefined) return differs('the status is not declared');
  const { contentTypes, schema } = declared;
  if (text === '') return undefined;
  if (!(contentTypes ?? [json]).includes(type))
    return differs(`the media type "${type}" is not declared`);
  if (type !== json || schema === undefined) return undefined;
  const body = parsed(text);
  const read = schema.safeParse(body);
  if (!read.success) return differs(z.prettifyError(read.error));
  const known = canonical(read.data);
  return known === canonical(body)
    ? undefined
    : differs(`fields that are not declared: ${text.slice(0, 500)}`);
}

/** Serializes a value with the fields of objects in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(
          Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : member,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
