import { expect, test } from 'vitest';
import { TestClock } from '@financing-checkout/kit/testing';
import { createCompanion } from '../companion.fixture.ts';
import { networkError, primed } from '../scripted-service.fixture.ts';
import { Circuit, type Health, healthOf } from './circuit.ts';

function setUp() {
  const clock = new TestClock();
  const states: string[] = [];
  const circuit = new Circuit({ clock, onChange: (state) => void states.push(state) });
  /** Makes one call with this outcome. Returns false when the circuit refused it. */
  const attempt = (health: Health): boolean => {
    const admittance = circuit.admit();
    if ('waitMs' in admittance) return false;
    admittance.report(health);
    return true;
  };
  return { clock, circuit, states, attempt };
}

test('opens after five consecutive failures and not before', () => {
  const { circuit, attempt } = setUp();
  for (let count = 0; count < 4; count++) attempt('down');
  attempt('up');
  for (let count = 0; count < 4; count++) attempt('down');
  attempt('unclear');
  expect(circuit.state).toBe('closed');
  attempt('down');
  expect(circuit.state).toBe('open');
  expect(attempt('up')).toBe(false);
});

test('lets one call through when half open: success closes it, failure doubles the time', () => {
  const { clock, circuit, states, attempt } = setUp();
  for (let count = 0; count < 5; count++) attempt('down');
  expect(circuit.admit()).toEqual({ waitMs: 2_000 });
  clock.advance(2_000);
  expect(attempt('down')).toBe(true);
  expect(circuit.admit()).toEqual({ waitMs: 4_000 });
  clock.advance(4_000);
  const probe = circuit.admit();
  expect(circuit.admit()).toHaveProperty('waitMs');
  if ('report' in probe) probe.report('up');
  expect(attempt('up')).toBe(true);
  expect(states).toEqual(['open', 'half-open', 'open', 'half-open', 'closed']);
});

test('stays open for at most 30 seconds and starts with 2 seconds again after closing', () => {
  const { clock, circuit, attempt } = setUp();
  const waits: number[] = [];
  const wait = () => {
    const admittance = circuit.admit();
    const ms = 'waitMs' in admittance ? admittance.waitMs : 0;
    waits.push(ms);
    clock.advance(ms);
  };
  for (let count = 0; count < 5; count++) attempt('down');
  for (let probe = 0; probe < 6; probe++) {
    wait();
    attempt('down');
  }
  wait();
  attempt('up');
  for (let count = 0; count < 5; count++) attempt('down');
  wait();
  expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 2_000]);
});

test('stays open for at most 30 seconds when the clock is set back', () => {
  const { clock, circuit, attempt } = setUp();
  for (let count = 0; count < 5; count++) attempt('down');
  clock.advance(-3_600_000);
  expect(circuit.admit()).toEqual({ waitMs: 30_000 });
  clock.advance(30_000);
  expect(attempt('up')).toBe(true);
  expect(circuit.state).toBe('closed');
});

test('an inconclusive probe makes room for the next one', () => {
  const { clock, circuit, attempt } = setUp();
  for (let count = 0; count < 5; count++) attempt('down');
  clock.advance(2_000);
  attempt('unclear');
  expect(circuit.state).toBe('half-open');
  expect(attempt('up')).toBe(true);
  expect(circuit.state).toBe('closed');
});

test('a call that started before the circuit opened does not close it', () => {
  const { circuit, attempt } = setUp();
  const slow = circuit.admit();
  for (let count = 0; count < 5; count++) attempt('down');
  if ('report' in slow) slow.report('up');
  expect(circuit.state).toBe('open');
});

test('counts only some outcomes as failures of the service', () => {
  const about = { serviceRequestId: undefined, retryAfterMs: undefined, status: undefined };
  const notSent = (
    ['unreachable', 'key-rejected', 'throttled', 'circuit-open', 'overloaded'] as const
  ).map((reason) => [reason, healthOf({ kind: 'not-sent', reason, ...about })]);
  expect(Object.fromEntries(notSent)).toEqual({
    unreachable: 'down',
    'key-rejected': 'up',
    throttled: 'up',
    'circuit-open': 'up',
    overloaded: 'up',
  });
  const unknown = (
    ['timeout', 'connection-lost', 'server-error', 'redirect', 'unreadable', 'too-large'] as const
  ).map((reason) => [reason, healthOf({ kind: 'unknown', reason, ...about })]);
  expect(Object.fromEntries(unknown)).toEqual({
    timeout: 'down',
    'connection-lost': 'down',
    'server-error': 'down',
    redirect: 'unclear',
    unreadable: 'unclear',
    'too-large': 'unclear',
  });
  const answered = { status: 422, codes: [], fields: [], serviceRequestId: undefined };
  expect(healthOf({ kind: 'rejected', ...answered })).toBe('up');
  expect(healthOf({ kind: 'accepted', status: 200, body: {}, serviceRequestId: undefined })).toBe(
    'up',
  );
});

test('responds with 503 immediately while open, safe to retry', async () => {
  const companion = await createCompanion();
  companion.service.on('POST /v1/checkout/prime', networkError('ECONNREFUSED'));
  for (
    let count = 0;
    companion.log.every(({ event }) => event !== 'service-circuit-open');
    count++
  ) {
    const pending = companion.prime(`key-${count}`, { merchantOrderId: `order-${count}` });
    let ended = false;
    void pending.then(() => (ended = true));
    await expect.poll(() => (companion.clock.advance(1), ended)).toBe(true);
  }
  const sent = companion.service.calls.length;
  const { status, body, headers } = await companion.prime('key-next');
  expect([status, body.code, body.retrySafe]).toEqual([503, 'service-unavailable', true]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(companion.service.calls).toHaveLength(sent);

  companion.service.on('POST /v1/checkout/prime', primed);
  companion.clock.advance(2_000);
  expect((await companion.prime('key-after')).status).toBe(201);
  expect(companion.log.map(({ event }) => event)).toContain('service-circuit-closed');
});
