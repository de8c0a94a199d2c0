import { createProgram, readConfiguration } from '@financing-checkout/reconciliation';
import {
  createCompanion,
  createServiceClient,
  PrivateKey,
  Secret,
  type Store,
} from '@financing-checkout/server';
import { type Page, table } from '../markdown.ts';
import { exampleOf, type Schema } from './examples.ts';

interface Content {
  content?: Record<string, { schema: Schema }>;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface Described {
  operationId: string;
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters: Parameter[];
  requestBody?: Content & { required?: boolean };
  responses: Record<string, Content & { description: string }>;
}

interface Document {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
}

/** One of a program's operations. */
export interface Operation extends Described {
  method: string;
  path: string;
  /** Path and anchor of its description on the site. */
  at: string;
}

export interface Api {
  /** Path of its page. */
  id: string;
  title: string;
  program: string;
  /** Returns the origin of an operation, for its example. */
  originOf: (operation: Described) => string;
  operations: Operation[];
  schemas: Record<string, Schema>;
}

/** HTTP methods; a path in the document also has other members. */
const methods = new Set(['get', 'post', 'put', 'patch', 'delete']);

/** Operations of the companion's back office that need no token. */
const backOfficeOperations = new Set(['getReadyz', 'getOpenapiJson', 'getDocs']);

async function reconciliationDocument(): Promise<Document> {
  const config = readConfiguration({ RECONCILIATION_ENVIRONMENT: 'sandbox' }, () => '');
  const response = await createProgram(config).app.request('/openapi.json');
  return (await response.json()) as Document;
}

async function companionDocument(): Promise<Document> {
  const key = new PrivateKey('private-key-0123456789');
  // Answering with the document sends no request to a store or a service.
  const { backOffice } = createCompanion({
    environment: 'sandbox',
    publicKey: 'public-key-0123456789',
    service: createServiceClient({ baseUrl: 'https://service.example/', keys: [key] }),
    tripWire: () => false,
    store: {} as Store,
    allowedOrigins: ['https://shop.example'],
    tickets: { secrets: [new Secret('x'.repeat(32))] },
    metrics: () => Promise.resolve({ contentType: 'text/plain', text: '' }),
  });
  return (await (await backOffice.request('/openapi.json')).json()) as Document;
}

/** Returns the first part of a path, which groups operations on a page. */
const groupOf = (path: string): string => path.split('/')[1]?.replace('.json', '') ?? '';

function apiOf(
  document: Document,
  { id, originOf, program, title }: Pick<Api, 'id' | 'originOf' | 'program' | 'title'>,
): Api {
  const operations = Object.entries(document.paths).flatMap(([path, members]) =>
    Object.entries(members)
      .filter(([method]) => methods.has(method))
      .map(([method, described]) => {
        const anchor = `${method}-${path.toLowerCase().replaceAll(/[^\w-]/g, '')}`;
        return {
          ...described,
          method: method.toUpperCase(),
          path,
          at: `/${id}/${groupOf(path)}/#${anchor}`,
        };
      }),
  );
  return { id, title, program, originOf, operations, schemas: document.components.schemas };
}

/** Returns both programs' APIs, from the documents that they serve. */
export async function readApis(): Promise<Api[]> {
  const [companion, reconciliation] = await Promise.all([
    companionDocument(),
    reconciliationDocument(),
  ]);
  return [
    apiOf(companion, {
      id: 'reference/companion-api',
      title: 'Companion API',
      program: 'the companion',
      originOf: ({ operationId, security }) =>
        backOfficeOperations.has(operationId) || security.some((one) => 'back-office-token' in one)
          ? 'http://127.0.0.1:4001'
          : 'https://financing.shop.example',
    }),
    apiOf(reconciliation, {
      id: 'reference/reconciliation-api',
      title: 'Reconciliation API',
      program: 'reconciliation',
      originOf: () => 'http://127.0.0.1:4002',
    }),
  ];
}

/** Returns a schema, resolving its reference. */
function resolved(schema: Schema, schemas: Api['schemas']): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (schemas[name] ?? schema);
}

/** Example bodies, by media type. */
const texts: Readonly<Record<string, string>> = {
  'text/csv': 'order,type,amount,currency,date\nA-1001,settle,125.00,USD,2026-11-02',
  'application/x-ndjson':
    '{"order":"A-1001","type":"settle","amount":"125.00","currency":"USD","date":"2026-11-02"}',
  'application/x-www-form-urlencoded': 'order=…',
  'text/event-stream': 'event: progress\ndata: {}',
  'text/plain': '# HELP …',
  'text/html': '<!doctype html>…',
};

interface Example {
  type: string;
  /** Undefined for a file that is not text. */
  text: string | undefined;
  value?: unknown;
}

function exampleBody(content: Content['content'], schemas: Api['schemas']): Example | undefined {
  const [first] = Object.entries(content ?? {});
  if (first === undefined) return undefined;
  const [type, { schema }] = first;
  if (!type.endsWith('json')) return { type, text: texts[type] };
  const value = exampleOf(resolved(schema, schemas));
  return { type, text: JSON.stringify(value, null, 2), value };
}

/** An operation's example: its request, and its first successful answer. */
export interface OperationExample {
  url: string;
  /** Each in the form `Name: value`. */
  headers: string[];
  requestBody?: Example | undefined;
  status: string;
  answer?: Example | undefined;
}

/** Returns an operation's example. */
export function exampleFor(api: Api, operation: Operation): OperationExample {
  const { parameters, path, requestBody, responses, security } = operation;
  const body = exampleBody(requestBody?.content, api.schemas);
  const value = ({ name, schema }: Parameter) => String(exampleOf(schema, name));
  const target = parameters
    .filter((one) => one.in === 'path')
    .reduce((text, one) => text.replace(`{${one.name}}`, encodeURIComponent(value(one))), path);
  const query = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map((one) => `${one.name}=${encodeURIComponent(value(one))}`)
    .join('&');
  const [scheme] = Object.keys(security[0] ?? {});
  const credentials: Record<string, string> = {
    'public-key': 'Authorization: Bearer <Public API Key>',
    session: 'Cookie: __Host-financing-console-443=<session>',
    notification: 'Authorization: <the agreed value>',
  };
  const headers = [
    ...(scheme === undefined ? [] : [credentials[scheme] ?? 'Authorization: Bearer <token>']),
    ...parameters
      .filter((one) => one.in === 'header' && one.required)
      .map((one) => `${one.name}: ${value(one)}`),
    ...(body === undefined ? [] : [`Content-Type: ${body.type}`]),
  ];
  const status =
    Object.keys(responses).find((code) => code < '300') ?? Object.keys(responses)[0] ?? '';
  return {
    url: `${api.originOf(operation)}${target}${query && `?${query}`}`,
    headers,
    requestBody: body,
    status,
    answer: exampleBody(responses[status]?.content, api.schemas),
  };
}

/** Returns a schema's type in words. */
function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${String(one)}\``).join(', ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return [...new Set(options.map(typeOf))].join(' or ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  return [schema.format ?? schema.type ?? 'any'].flat().join(' or ');
}

/** Returns the rows for an object's fields; the names of nested ones contain a dot. */
function fieldRows(schema: Schema, prefix = ''): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const needed = schema.required?.includes(name) === true;
    const own = [
      `\`${prefix}${name}\``,
      typeOf(field),
      [needed ? 'required' : '', field.description ?? ''].filter(Boolean).join('; '),
    ];
    const inner = field.type === 'array' ? (field.items ?? {}) : field;
    return [own, ...fieldRows(inner, `${prefix}${name}${field.type === 'array' ? '[]' : ''}.`)];
  });
}

function problemCodesOf(description: string): string[] {
  return Array.from(description.matchAll(/`([a-z-]+)`: /g), ([, code = '']) => code);
}

/** Returns the operations that answer with a problem code, with the status. */
export function operationsWith(api: Api, code: string): Operation[] {
  return api.operations.filter(({ responses }) =>
    Object.values(responses).some(({ description }) => problemCodesOf(description).includes(code)),
  );
}

function accessOf({ security }: Operation): string {
  const words: Record<string, (scopes: string[]) => string> = {
    'public-key': () => 'the Public API Key',
    'back-office-token': (scopes) =>
      `a token of the back office with the scope \`${scopes.join()}\``,
    notification: () => 'the value that was agreed with the service',
    token: (scopes) => `a token with the scope \`${scopes.join()}\``,
    session: () => 'a session of the console',
  };
  const ways = security.flatMap((one) =>
    Object.entries(one).flatMap(([scheme, scopes]) => words[scheme]?.(scopes) ?? []),
  );
  return ways.length === 0 ? 'Needs no token.' : `Needs ${ways.join(', or ')}.`;
}

/** Returns the command that sends an example's request. */
export function curlOf(
  { method }: Operation,
  { headers, requestBody, url }: OperationExample,
): string {
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const body = requestBody === undefined ? undefined : (requestBody.text ?? '@file');
  return [
    `curl ${method === 'GET' ? '' : `--request ${method} `}${quoted(url)}`,
    ...headers.map((header) => `--header ${quoted(header)}`),
    ...(body === undefined ? [] : [`--data-binary ${quoted(body)}`]),
  ].join(' \\\n  ');
}

function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function operationSection(api: Api, operation: Operation): string {
  const { description, method, parameters, path, requestBody, responses, summary } = operation;
  const example = exampleFor(api, operation);
  const { answer, status } = example;
  const [content] = Object.entries(requestBody?.content ?? {});
  const [type = '', { schema } = { schema: {} }] = content ?? [];
  const problems = Object.entries(responses).filter(([code]) => code >= '300');
  const successes = Object.entries(responses).filter(([code]) => code < '300');
  const otherTypes = Object.keys(requestBody?.content ?? {}).slice(1);
  return [
    `## ${method} ${path}`,
    `${summary}. ${accessOf(operation)}`,
    description ?? '',
    table(
      ['parameter', 'in', 'type', 'meaning'],
      parameters.map((one) => [
        `\`${one.name}\``,
        one.in,
        typeOf(one.schema),
        [one.required ? 'required' : '', one.description ?? ''].filter(Boolean).join('; '),
      ]),
    ),
    type.endsWith('json')
      ? table(['field of the body', 'type', 'meaning'], fieldRows(resolved(schema, api.schemas)))
      : '',
    otherTypes.length > 0
      ? `Other content types: ${otherTypes.map((one) => `\`${one}\``).join(', ')}.`
      : '',
    fence('sh', curlOf(operation, example)),
    answer?.text === undefined
      ? ''
      : fence(answer.type.endsWith('json') ? 'json' : 'text', answer.text),
    table(
      ['status', 'when'],
      [
        ...successes.map(([code, one]) => [
          code,
          `${code === status ? 'as above' : 'success'}: ${one.description}`,
        ]),
        ...problems.map(([code, one]) => [
          code,
          problemCodesOf(one.description)
            .map((name) => `[\`${name}\`](/errors/${name}/)`)
            .join(', ') || one.description,
        ]),
      ],
    ),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** Returns an API's pages: one that lists its operations, and one for each first part of a path. */
export function apiPages(api: Api): Page[] {
  const groups = Object.groupBy(api.operations, ({ path }) => groupOf(path));
  const index = [
    `# ${api.title}`,
    `The operations of ${api.program}, from the OpenAPI document that it serves as \`GET /openapi.json\`. Money is
integer minor units with its currency, times are ISO 8601 in UTC. Every error is a problem (RFC 9457) with one of the
[codes](/errors/).`,
    table(
      ['operation', 'what it does'],
      api.operations.map(({ at, method, path, summary }) => [
        `[\`${method} ${path}\`](${at})`,
        summary,
      ]),
    ),
  ].join('\n\n');
  return [
    { id: api.id, markdown: `${index}\n` },
    ...Object.entries(groups).map(([group, operations = []]) => ({
      id: `${api.id}/${group}`,
      markdown: `# ${api.title}: ${group}\n\n${operations.map((one) => operationSection(api, one)).join('\n\n')}\n`,
    })),
  ];
}
