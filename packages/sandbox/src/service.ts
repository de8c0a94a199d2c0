import { Behaviors } from './state/behavior.ts';
import { Accounts } from './charges/accounts.ts';
import { Charges } from './charges/charges.ts';
import { Deliveries } from './charges/deliveries.ts';
import { ForcedTransactions } from './charges/forced.ts';
import { Transactions } from './charges/transactions.ts';
import { Applications } from './checkout/applications.ts';
import { ForcedOutcomes } from './checkout/forced.ts';
import { SandboxClock } from './state/clock.ts';
import { KeyRing } from './environments/keys.ts';
import { Faults } from './faults/faults.ts';
import { FundingStore } from './fundings/store.ts';
import { Settlement } from './fundings/settlement.ts';
import { Lenders } from './lenders/terms.ts';
import { Links } from './links/links.ts';
import { Destinations } from './notifications/destination.ts';
import { Notifier } from './notifications/notifier.ts';
import { Outbox } from './notifications/outbox.ts';
import { removeUnfinished, replaceState, writeState } from './state/snapshot.ts';
import { emptyDatabase, openDatabase, type Database } from './state/database.ts';

/** The state of the stand-in and the objects that act on it, without listeners. */
export interface Service {
  database: Database;
  clock: SandboxClock;
  keys: KeyRing;
  applications: Applications;
  links: Links;
  accounts: Accounts;
  charges: Charges;
  deliveries: Deliveries;
  behaviors: Behaviors;
  fundings: FundingStore;
  lenders: Lenders;
  settlement: Settlement;
  faults: Faults;
  outcomes: ForcedOutcomes;
  forcedTransactions: ForcedTransactions;
  notifier: Notifier;
  dataDir: string;
  /** Clears the state and the wire faults, but not keys, certificates and webhook URLs. */
  reset(): void;
  /** Writes the state to a new file. */
  save(file: string): void;
  /** Replaces the state with a saved one, atomically. @throws {SandboxError} */
  load(file: string): void;
}

/** Opens the state in `dataDir`. @throws {SandboxError} */
export function openService(dataDir: string, machineClock?: () => number): Service {
  const database = openDatabase(dataDir);
  try {
    removeUnfinished(dataDir);
    const clock = new SandboxClock(database, machineClock);
    const outcomes = new ForcedOutcomes(database);
    const destinations = new Destinations(dataDir);
    const outbox = new Outbox(database, clock, destinations);
    const notifier = new Notifier(clock, destinations, outbox);
    const lenders = new Lenders(database);
    const applications = new Applications(database, clock, outcomes, lenders, (application) => {
      notifier.applicationChanged(application);
      links.applicationChanged(application);
      const ordered = links.chargeOf(application);
      const { confirmationToken } = application;
      if (!ordered || confirmationToken === null) return;
      charges.create(application.environment, { confirmationToken }, ordered.settle);
    });
    const links = new Links(database, clock, applications);
    const fundings = new FundingStore(database);
    const forcedTransactions = new ForcedTransactions(database);
    const transactions = new Transactions(
      database,
      clock,
      lenders,
      forcedTransactions,
      (charge, transaction) => {
        const application = applications.byIdAnywhere(charge.applicationId);
        if (application) notifier.transactionAccepted(application, charge, transaction);
      },
    );
    const behaviors = new Behaviors(database);
    const charges = new Charges(database, clock, applications, lenders, transactions, behaviors);
    const settlement = new Settlement(database, clock, fundings, lenders, () => charges.endDue());
    const keys = new KeyRing(dataDir, () => clock.now());
    clock.beforeChange(() => keys.endGracePeriods());
    clock.onChange(() => keys.endGracePeriods());
    clock.onChange(() => settlement.run());
    const faults = new Faults();
    return {
      database,
      clock,
      keys,
      applications,
      links,
      accounts: new Accounts(database, applications, charges),
      charges,
      deliveries: new Deliveries(database, clock),
      behaviors,
      fundings,
      lenders,
      settlement,
      faults,
      outcomes,
      forcedTransactions,
      notifier,
      dataDir,
      reset: () => {
        // The reset clears the clock, too.
        keys.endGracePeriods();
        emptyDatabase(database);
        keys.endGracePeriods();
        faults.clear();
        fundings.forget();
      },
      save: (file) => writeState(database, file),
      load: (file) => {
        keys.endGracePeriods();
        replaceState(database, file);
        keys.endGracePeriods();
        fundings.forget();
        settlement.run();
        notifier.wake();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
