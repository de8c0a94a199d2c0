/** In-memory event counters by name, for the metrics endpoint. */
export interface Counters {
  increment(name: CounterName): void;
  read(name: CounterName): number;
}

export const counterNames = [
  'private-key-exposed',
  'charge-doubled',
  'charge-mismatch',
  'charge-not-ours',
  'charge-operation-contradicted',
  'charge-operation-failed-since',
  'confirmation-doubled',
  'confirmation-given-up',
  'consumer-refused',
  'link-messages-spent',
  'notification',
  'notification-unknown',
  'programmes-file-refused',
  'record-lost',
] as const;
export type CounterName = (typeof counterNames)[number];

export function createCounters(): Counters {
  const counts = new Map<CounterName, number>();
  return {
    increment: (name) => void counts.set(name, (counts.get(name) ?? 0) + 1),
    read: (name) => counts.get(name) ?? 0,
  };
}
