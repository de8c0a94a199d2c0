import { z } from 'zod';
import { faultKinds, faultOf, faultRequest } from '../faults/fault.ts';
import type { SetFault } from '../faults/faults.ts';
import { clear, cleared, operation, Refusal } from './operation.ts';

const kinds = Object.entries(faultKinds).map(([name, { does }]) => `  ${name.padEnd(11)} ${does}`);

/** Wire faults, which occur between a client and the API. */
export const faultOperations = [
  operation('fault add', 'POST /faults', {
    does: 'Set a fault. By default it strikes the next call of any kind.',
    input: faultRequest,
    status: 201,
    options: {
      kind: '<kind>  see below',
      operations: '--operation <names...>  only these operations, such as charges.create',
      environment: '--environment <name>  only this environment',
      when: '--when <moment>  before the effect (so there is none) or after it',
      next: '--next <n>  strike the next n calls',
      nth: '--nth <n>  strike the n-th call from now',
      probability: '--probability <p>  strike each call with this probability',
      seed: '--seed <n>  seed of the random sequence',
      delay: '--delay <duration>  latency: time before the answer; drip: time between two bytes',
      for: '--for <duration>  refused: how long',
      status: '--status <code>  status, html, redirect: the status code',
      retryAfter: '--retry-after <seconds>  status: the Retry-After header',
      location: '--location <url>  redirect: the target',
      body: '--body <text>  status, html, wrong-json: the body to send instead',
    },
    help: `Kinds:
${kinds.join('\n')}

Examples:
  financing-sandbox fault add hang --operation charges.create --when after
      the charge is created, and the client times out
  financing-sandbox fault add status --status 429 --retry-after 2 --next 3
  financing-sandbox fault add latency --delay 3s --probability 0.1 --seed 7
  financing-sandbox fault add refused --for 10s
  financing-sandbox fault add reset --operation fundings.report --nth 2 --when before`,
    run: ({ faults, operations }, request) => {
      const fault = faultOf(request, operations);
      if (typeof fault === 'string') throw new Refusal(fault);
      const added = faults.add(fault);
      if (!added) throw new Refusal('there are too many faults: clear some first', 409);
      return added;
    },
    show: (fault) => [describe(fault)],
  }),
  operation('fault list', 'GET /faults', {
    does: 'Show the faults and how often each has struck.',
    run: ({ faults, operations }) => ({ faults: faults.list(), kinds: faultKinds, operations }),
    part: 'faults',
    show: ({ faults }) => (faults.length > 0 ? faults.map(describe) : ['No faults are set.']),
  }),
  operation('fault clear', 'DELETE /faults/:id?', {
    does: 'Remove one fault, or all of them.',
    input: z.object({ id: z.string().optional() }),
    options: { id: '[id]  number of one fault, from list' },
    run: ({ faults }, { id }) => clear(faults, id),
    show: cleared,
  }),
];

function describe(fault: SetFault): string {
  const { trigger } = fault;
  const which =
    'probability' in trigger
      ? `each call with probability ${trigger.probability} (seed ${trigger.seed})`
      : 'nth' in trigger
        ? `call ${trigger.nth} since it was set`
        : `the next ${trigger.next}`;
  const connection = faultKinds[fault.kind].when.length === 0;
  const where = connection ? 'connections' : (fault.operations?.join(', ') ?? 'every operation');
  const what = fault.kind === 'status' ? `status ${fault.status}` : fault.kind;
  return [
    `${fault.id}: ${what}${connection ? '' : ` ${fault.when} the effect`}`,
    where + (fault.environment === null ? '' : ` of ${fault.environment}`),
    fault.kind === 'refused' ? `for ${fault.delay} ms` : which,
    `struck ${fault.struck} of ${fault.seen}${fault.spent ? ', over' : ''}`,
  ].join(' · ');
}
