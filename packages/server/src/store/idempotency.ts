import type { Database } from './database.ts';
import { keyQuery, primeUnits } from './prime-units.ts';
import { toIdempotency } from './rows.ts';
import type { Store } from './store.ts';

/** Idempotency keys of the storefront, and what each ended with. */
export function idempotency({
  db,
  units,
}: Database): Pick<Store, 'findIdempotency' | 'beginPrime' | 'finishPrime'> {
  const byKey = keyQuery(db);
  const { beginPrime, finishPrime } = primeUnits(db);
  return {
    async findIdempotency(key) {
      const [row] = await units.read(byKey({ key }));
      return row && toIdempotency(row);
    },
    async beginPrime(begin) {
      const unit = beginPrime(begin);
      const begun = await units.write({ name: 'beginPrime', input: begin, unit });
      return begun.kind === 'known' ? { ...begun, row: toIdempotency(begun.row) } : begun;
    },
    finishPrime: (finish) =>
      units.write({ name: 'finishPrime', input: finish, unit: finishPrime(finish) }),
  };
}
