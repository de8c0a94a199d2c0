import { z } from 'zod';
import { parseDuration } from '../platform/duration.ts';
import type { ClockReading } from '../state/clock.ts';
import { operation, Refusal, type Controlled } from './operation.ts';

const input = z
  .strictObject({
    now: z.iso.datetime({ offset: true }).optional(),
    advance: z.string().optional(),
    advanceMs: z.int().min(0).optional(),
    frozen: z.boolean().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, {
    error: 'give now, advance, advanceMs or frozen',
  });

function run({ clock }: Controlled, { now, advance, advanceMs, frozen }: z.output<typeof input>) {
  const duration = advance === undefined ? advanceMs : parseDuration(advance);
  if (advance !== undefined && duration === undefined) {
    throw new Refusal('advance must be a duration such as 1d, 90m or "1d 12h"');
  }
  const target = now === undefined ? undefined : Date.parse(now);
  try {
    return clock.change({ now: target, advanceMs: duration, frozen });
  } catch (error) {
    throw error instanceof RangeError ? new Refusal(error.message) : error;
  }
}

const show = ({ now, frozen }: ClockReading) => [`${now}${frozen ? ' (frozen)' : ''}`];
const change = { input, run, show };

export const clockOperations = [
  operation('clock show', 'GET /clock', {
    does: 'show its time',
    run: ({ clock }) => clock.read(),
    show,
  }),
  operation('clock advance', 'POST /clock', {
    does: 'move it forward',
    options: { advance: '<duration>  such as 1d, 90m, 2w' },
    ...change,
  }),
  operation('clock set', 'POST /clock', {
    does: 'set it',
    options: { now: '<time>  ISO 8601 time' },
    ...change,
  }),
  operation('clock freeze', 'POST /clock', { does: 'stop it', sends: { frozen: true }, ...change }),
  operation('clock unfreeze', 'POST /clock', {
    does: 'let it run again',
    sends: { frozen: false },
    ...change,
  }),
];
