import { type Clock, delay, systemClock, type Transport } from '@financing-checkout/kit';
import type { StatedSettings } from '../config/variables.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { PrivateKey } from '../keys/private-key.ts';
import { type Logger, silentLogger } from '../platform/logger.ts';
import { type Meter, silentMeter } from '../platform/meter.ts';
import type { Priority } from '../platform/priority.ts';
import { inSpan } from '../platform/tracing.ts';
import { Admission } from './admission.ts';
import { Circuit, healthOf } from './circuit.ts';
import { Deadline } from './deadline.ts';
import { type Call, type CallContext, exchange, serviceBase } from './exchange.ts';
import { type CallResult, notSent } from './result.ts';
import { retryDelay } from './retry.ts';

/** What the service client works with, in addition to its settings. */
export interface CallerPorts {
  /** Base URL of the financing service's environment; https only (specification 5.1). */
  baseUrl: string;
  keys: KeyRing;
  /** @default the runtime's `fetch` */
  transport?: Transport;
  clock?: Clock;
  logger?: Logger;
  meter?: Meter;
  /** Random number in [0, 1), for the jitter of retries. @default Math.random */
  random?: () => number;
}

/** Milliseconds after which a caller that got no slot may try again. */
const OVERLOADED_RETRY_MS = 2_000;

/**
 * Creates the function that calls the service with the private key: admission, circuit breaker,
 * retries and one log line for each call.
 * @throws {TypeError} when the base URL is not https (specification 5.1)
 */
export function createCaller(options: Omit<StatedSettings, 'baseUrl'> & CallerPorts) {
  const { transport = fetchTransport, clock = systemClock, logger = silentLogger } = options;
  const { keys, random = Math.random, meter = silentMeter } = options;
  const base = serviceBase(options.baseUrl);
  const wire = { base, transport, clock, hasKey: (text: string) => keys.isIn(text) };
  const admission = new Admission(options.concurrency, options.queue);
  const circuit = new Circuit({
    clock,
    onChange(state) {
      logger.log(state === 'open' ? 'error' : 'info', `service-circuit-${state}`);
      meter.circuit(state);
    },
  });

  /**
   * Tries the key in use, then the others, including any key added in the meantime: a 401 means
   * that nothing was done.
   */
  async function tryKeys<Body>(call: Call<Body>, deadline: Deadline): Promise<CallResult<Body>> {
    const refused = new Set<PrivateKey>();
    for (;;) {
      const key = keys.keysToTry().find((candidate) => !refused.has(candidate));
      if (key === undefined) return notSent('key-rejected');
      const result = await exchange(wire, call, key, deadline);
      if (result === 'unauthorized') {
        keys.rejected(key);
        refused.add(key);
        continue;
      }
      // A rejection with the service's own id proves that the service knew the key. Any other
      // rejection may come from an intermediary that never checked the key.
      const isKnown = result.kind === 'rejected' && result.serviceRequestId !== undefined;
      if (result.kind === 'accepted' || isKnown) keys.accepted(key);
      return result;
    }
  }

  /** Waits for a slot and makes one attempt, unless the circuit is open. */
  async function tryInTurn<Body>(
    call: Call<Body>,
    priority: Priority,
    deadline: Deadline,
  ): Promise<CallResult<Body>> {
    const measure = () => meter.calls(admission.inFlight, admission.waiting);
    const entering = admission.enter(priority, deadline.signal);
    measure();
    const leave = await entering;
    measure();
    if (leave === undefined) return notSent('overloaded', OVERLOADED_RETRY_MS);
    try {
      const admittance = circuit.admit();
      if ('waitMs' in admittance) return notSent('circuit-open', admittance.waitMs);
      const result = await tryKeys(call, deadline);
      admittance.report(healthOf(result));
      return result;
    } finally {
      leave();
      measure();
    }
  }

  async function callInTime<Body>(
    call: Call<Body>,
    { priority, requestId }: CallContext,
  ): Promise<CallResult<Body>> {
    const started = clock.now();
    const { method, route, deadlineMs = options.deadlineMs } = call;
    const deadline = new Deadline(clock, deadlineMs);
    try {
      for (let tries = 1; ; tries++) {
        const result = await tryInTurn(call, priority, deadline);
        const wait = retryDelay(method, result, tries, random);
        const left = started + deadlineMs - clock.now();
        if (wait !== undefined && wait < left && !deadline.passed) {
          // The delay ends before the deadline, so it does not need the abort signal.
          await delay(clock, wait);
          continue;
        }
        const reason = 'reason' in result ? result.reason : undefined;
        const durationMs = clock.now() - started;
        logger.log(result.kind === 'accepted' ? 'info' : 'warn', 'service-call', {
          requestId,
          serviceRequestId: result.serviceRequestId,
          method,
          route,
          outcome: result.kind,
          reason,
          status: result.status,
          tries,
          durationMs,
        });
        meter.call({ method, route, outcome: result.kind, reason, seconds: durationMs / 1000 });
        return result;
      }
    } finally {
      deadline.cancel();
    }
  }

  return function callService<Body>(
    call: Call<Body>,
    context: CallContext,
  ): Promise<CallResult<Body>> {
    const { requestId } = context;
    const { method, route } = call;
    return inSpan(
      'client',
      `${method} ${route}`,
      {
        'http.request.method': method,
        'url.template': route,
        'server.address': base.hostname,
        'financing.request_id': requestId,
      },
      () => callInTime(call, context),
      (result) => ({
        attributes: {
          'financing.outcome': result.kind,
          'financing.reason': 'reason' in result ? result.reason : undefined,
          'http.response.status_code': result.status,
        },
        failed: result.kind === 'not-sent' || result.kind === 'unknown',
      }),
    );
  };
}

export const fetchTransport: Transport = (url, request) => fetch(url, request);
