import { z } from 'zod';
import { parseDuration } from '../platform/duration.ts';
import { environmentNames, type EnvironmentName } from '../environments/environment.ts';

/** Whether a fault occurs before the operation takes effect (so that it has none), or after. */
export type When = 'before' | 'after';

const settingNames = ['delay', 'for', 'status', 'retryAfter', 'location', 'body'] as const;
type Setting = (typeof settingNames)[number];

interface KindRules {
  /** Description of what the client sees. */
  does: string;
  /** Possible values of `when`, the default first; empty for a connection fault. */
  when: readonly When[];
  settings: readonly Setting[];
  /** Possible values of `status`, the default first. */
  statuses?: readonly number[];
}

/** Every kind of wire fault: the source for validation, responses and documentation. */
export const faultKinds = {
  latency: { does: 'answers, but after a delay', when: ['before', 'after'], settings: ['delay'] },
  refused: {
    does: 'the port is closed for a while: new connections are refused',
    when: [],
    settings: ['for'],
  },
  dropped: {
    does: 'new connections are reset before anything is read from them',
    when: [],
    settings: [],
  },
  reset: {
    does: 'the request is read, then the connection is reset: no answer',
    when: ['before', 'after'],
    settings: [],
  },
  'half-body': {
    does: 'half of the answer, then a reset: content-length says more than comes',
    when: ['after'],
    settings: [],
  },
  'wrong-json': {
    does: 'says application/json, but the body breaks off halfway (or is the body given)',
    when: ['after', 'before'],
    settings: ['body'],
  },
  html: {
    does: 'a page of HTML where JSON is expected',
    when: ['before', 'after'],
    settings: ['status', 'body'],
    statuses: [502, 200],
  },
  redirect: {
    does: 'a redirect to another origin',
    when: ['before', 'after'],
    settings: ['status', 'location'],
    statuses: [302, 301, 303, 307, 308],
  },
  status: {
    does: 'an error status',
    when: ['before', 'after'],
    settings: ['status', 'retryAfter', 'body'],
    statuses: [503, 400, 401, 404, 422, 429, 500],
  },
  drip: { does: 'the answer, a byte at a time', when: ['after'], settings: ['delay'] },
  'empty-body': { does: 'the status without the body', when: ['after', 'before'], settings: [] },
  hang: {
    does: 'never answers: hangs until the client leaves',
    when: ['before', 'after'],
    settings: [],
  },
} as const satisfies Record<string, KindRules>;
export type FaultKind = keyof typeof faultKinds;

const kindNames = Object.keys(faultKinds) as [FaultKind, ...FaultKind[]];

/** Maximum delay, in milliseconds: one day. */
const MAX_DELAY = 86_400_000;
const duration = z
  .string()
  .transform((text) => parseDuration(text) ?? Number.NaN)
  .pipe(z.number('must be a duration such as 250ms, 5s or 2m').max(MAX_DELAY, 'is at most 1d'));

/** The request to add a fault. */
export const faultRequest = z.strictObject({
  kind: z.enum(kindNames, `must be one of ${kindNames.join(', ')}`),
  when: z.enum(['before', 'after']).optional(),
  operations: z.array(z.string()).min(1).max(50).optional(),
  environment: z.enum(environmentNames).optional(),
  nth: z.int().min(1).optional(),
  next: z.int().min(1).optional(),
  probability: z.number().gt(0).max(1).optional(),
  seed: z.int().min(0).optional(),
  delay: duration.optional(),
  for: duration.optional(),
  status: z.int().optional(),
  retryAfter: z.int().min(0).max(86_400).optional(),
  location: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  body: z.string().max(32_768).optional(),
});

type FaultRequest = z.output<typeof faultRequest>;

/** Selects which of the matching calls a fault applies to. */
type Trigger = { nth: number } | { next: number } | { probability: number; seed: number };

/** The settings of a fault. Durations are in milliseconds on the machine's clock. */
export interface Fault {
  kind: FaultKind;
  when: When;
  /** Names of operations; null for all. */
  operations: readonly string[] | null;
  environment: EnvironmentName | null;
  trigger: Trigger;
  delay: number;
  status: number;
  retryAfter: number | null;
  location: string;
  body: string | null;
}

/** A fault that was applied to a call, for the call log. */
export interface StruckFault {
  id: number;
  kind: FaultKind;
  when: When;
}

const DEFAULT_DELAY = { latency: 1000, drip: 20, refused: 5000 };

/**
 * Returns the requested fault, with defaults, or why the request is invalid.
 * @param operations names of all operations
 */
export function faultOf(requested: FaultRequest, operations: readonly string[]): Fault | string {
  const wrong = problemWith(requested, operations);
  if (wrong !== undefined) return wrong;
  const rules: KindRules = faultKinds[requested.kind];
  const { probability, nth, next = 1, seed = 1 } = requested;
  let trigger: Trigger = nth === undefined ? { next } : { nth };
  if (probability !== undefined) trigger = { probability, seed };
  const defaults: Partial<Record<FaultKind, number>> = DEFAULT_DELAY;
  return {
    kind: requested.kind,
    when: requested.when ?? rules.when[0] ?? 'before',
    operations: requested.operations ?? null,
    environment: requested.environment ?? null,
    trigger,
    delay: requested.delay ?? requested.for ?? defaults[requested.kind] ?? 0,
    status: requested.status ?? rules.statuses?.[0] ?? 0,
    retryAfter: requested.retryAfter ?? null,
    location: requested.location ?? 'https://elsewhere.invalid/',
    body: requested.body ?? null,
  };
}

function problemWith(requested: FaultRequest, operations: readonly string[]): string | undefined {
  const { kind } = requested;
  const rules: KindRules = faultKinds[kind];
  const unfit = settingNames.find(
    (name) => requested[name] !== undefined && !rules.settings.includes(name),
  );
  if (unfit !== undefined) return `${unfit} is not for ${kind}`;
  if (requested.when !== undefined && !rules.when.includes(requested.when)) {
    return rules.when.length === 0
      ? `${kind} strikes a connection, before any request: leave out when`
      : `${kind} can only strike ${rules.when.join(' or ')} the effect`;
  }
  if (rules.when.length === 0 && (requested.operations ?? requested.environment) !== undefined) {
    return `${kind} strikes a connection, before any request: leave out operations and environment`;
  }
  const unknown = requested.operations?.find((name) => !operations.includes(name));
  if (unknown !== undefined) {
    return `there is no operation of that name; there are ${operations.join(', ')}`;
  }
  const triggers = [requested.nth, requested.next, requested.probability].filter(
    (one) => one !== undefined,
  );
  if (triggers.length > 1) return 'give one of nth, next and probability';
  if (kind === 'refused' && triggers.length > 0) {
    return 'refused strikes all connections for a while: leave out nth, next and probability';
  }
  if (requested.seed !== undefined && requested.probability === undefined) {
    return 'seed goes with probability';
  }
  if (requested.status !== undefined && !rules.statuses?.includes(requested.status)) {
    return `the status of ${kind} is one of ${rules.statuses?.join(', ') ?? ''}`;
  }
  return undefined;
}
