import { fundingPaths, primePath } from '../../src/conformance/subject.ts';
import { credentials, forwardAuthorized } from './call.ts';
import type { Mutant } from './mutant.ts';

const wrongKey = ['5.3.missing', '5.3.incorrect', '5.3.outdated', '7.records', '7.prime'];

const published = (operation: string) => `published.${operation}`;

/** Operations that reject requests in a run without charges. */
const refusing = [
  ...['checkout.prime', 'charges.create', 'charges.get', 'charges.patch', 'charges.settle'],
  ...['charges.refund', 'charges.void', 'charges.void-async', 'charges.synthetic'],
  ...['orders.get', 'transactions.lookup', 'transactions.get', 'fundings.report'],
  ...['fundings.records-v1', 'fundings.records-v2'],
  ...['links.checkout', 'links.application', 'links.get'],
  ...['accounts.charge', 'accounts.confirmation', 'accounts.get', 'accounts.credit'],
];

/** Mutants that accept wrong keys, or reject correct ones. */
export const accessMutants: readonly Mutant[] = [
  { name: 'plain-http', breaks: ['5.1'], how: 'plain-http' },
  {
    name: 'right-key-refused',
    breaks: ['5.2'],
    how: (call) => {
      call.headers.delete('authorization');
      return call.forward();
    },
  },
  {
    name: 'any-scheme',
    breaks: ['5.2'],
    how: (call) => {
      const header = call.headers.get('authorization') ?? '';
      const { value } = call.keys.get(call.environment, 'private');
      return header.endsWith(value) ? forwardAuthorized(call) : call.forward();
    },
  },
  {
    name: 'no-key-needed',
    breaks: ['5.3.missing', '7.records', '7.prime'],
    how: (call) => (noHeader(call.headers) ? forwardAuthorized(call) : call.forward()),
  },
  {
    name: 'any-key',
    breaks: ['5.3.incorrect', '7.records', '7.prime'],
    how: (call) => {
      const key = credentials(call);
      return key !== '' && !call.keys.identify(key) ? forwardAuthorized(call) : call.forward();
    },
  },
  {
    name: 'half-a-key',
    breaks: ['5.3.incorrect'],
    how: (call) => {
      const { value } = call.keys.get(call.environment, 'private');
      const half = value.slice(0, value.length / 2);
      return credentials(call).startsWith(half) ? forwardAuthorized(call) : call.forward();
    },
  },
  {
    name: 'outdated-key',
    breaks: ['5.3.outdated'],
    how: (call) => {
      const key = call.keys.identify(credentials(call));
      const old = key?.slot === 'outdated' && key.kind === 'private';
      return old && key.environment === call.environment ? forwardAuthorized(call) : call.forward();
    },
  },
  {
    name: 'forbidden-not-unauthorized',
    breaks: [
      ...wrongKey,
      ...['checkout.prime', 'fundings.report', 'fundings.records-v1'].map(published),
    ],
    how: async (call) => {
      const response = await call.forward();
      return response.status === 401 ? new Response(null, { status: 403 }) : response;
    },
  },
  {
    name: 'public-key',
    breaks: ['5.4'],
    how: (call) => {
      const key = call.keys.identify(credentials(call));
      const own = key?.environment === call.environment;
      return own && key.kind === 'public' ? forwardAuthorized(call) : call.forward();
    },
  },
  {
    name: 'other-environment',
    breaks: ['5.5'],
    how: (call) => {
      const key = call.keys.identify(credentials(call));
      return key?.kind === 'private' && key.slot === 'current'
        ? forwardAuthorized(call)
        : call.forward();
    },
  },
  {
    name: 'repeats-the-key',
    breaks: [
      ...['5.6', 'charges.unknown', 'links.required', 'links.invalid'],
      ...refusing.map(published),
    ],
    how: async (call) => {
      const response = await call.forward();
      if (response.ok) return response;
      const message = `Not with ${call.headers.get('authorization') ?? 'nothing'}.`;
      return Response.json({ message }, { status: response.status });
    },
  },
  {
    name: 'any-content-type',
    breaks: ['5.7'],
    how: (call) => {
      if (call.path === primePath) call.headers.set('content-type', 'application/json');
      return call.forward();
    },
  },
  {
    name: 'json-without-charset-only',
    breaks: ['5.7'],
    how: (call) => {
      const type = call.headers.get('content-type');
      if (type?.includes(';')) call.headers.set('content-type', 'text/plain');
      return call.forward();
    },
  },
  {
    name: 'records-need-no-key',
    breaks: ['7.records'],
    how: (call) =>
      call.path === fundingPaths['records-v1'] && noHeader(call.headers)
        ? forwardAuthorized(call)
        : call.forward(),
  },
  {
    name: 'prime-needs-no-key',
    breaks: ['7.prime'],
    how: (call) =>
      call.path === primePath && noHeader(call.headers) ? forwardAuthorized(call) : call.forward(),
  },
  {
    name: 'no-version',
    breaks: ['9.path'],
    how: (call) => {
      if (call.path.startsWith('/post-sale/')) call.path = `/v2${call.path}`;
      return call.forward();
    },
  },
  {
    name: 'any-version',
    breaks: ['9.path'],
    how: (call) => {
      call.path = call.path.replace(/^\/v\d{2,}\//, '/v2/');
      return call.forward();
    },
  },
];

const noHeader = (headers: Headers) => !headers.has('authorization');
