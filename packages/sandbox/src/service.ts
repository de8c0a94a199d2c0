import { Charges } from './charges/charges.ts';
import { Applications } from './checkout/applications.ts';
import { SandboxClock } from './clock/clock.ts';
import { KeyRing } from './environments/keys.ts';
import { FundingStore } from './fundings/store.ts';
import { Settlement } from './lender/settlement.ts';
import { emptyDatabase, openDatabase, type Database } from './store/database.ts';

/** The state of the stand-in and everything that acts on it, without any listener. */
export interface Service {
  database: Database;
  clock: SandboxClock;
  keys: KeyRing;
  applications: Applications;
  charges: Charges;
  fundings: FundingStore;
  settlement: Settlement;
  /** Empties the state; keys and certificates stay. */
  reset(): void;
}

/** Opens the state in `dataDir`. @throws {SandboxError} */
export function openService(dataDir: string, machineClock?: () => number): Service {
  const database = openDatabase(dataDir);
  try {
    const clock = new SandboxClock(database, machineClock);
    const applications = new Applications(database, clock);
    const fundings = new FundingStore(database);
    const settlement = new Settlement(database, clock, fundings);
    clock.onChange(() => settlement.run());
    return {
      database,
      clock,
      keys: new KeyRing(dataDir),
      applications,
      charges: new Charges(database, clock, applications),
      fundings,
      settlement,
      reset: () => emptyDatabase(database),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
