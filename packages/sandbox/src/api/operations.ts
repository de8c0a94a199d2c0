import type { Service } from '../service.ts';
import { accountOperations } from './accounts.ts';
import { chargeOperations } from './charges.ts';
import { checkoutOperations } from './checkout.ts';
import { fundingOperations } from './fundings.ts';
import { linkOperations } from './links.ts';
import { lookupOperations } from './lookups.ts';
import type { Operation } from './operation.ts';

export function operationsOf(service: Service): Operation[] {
  return [
    ...checkoutOperations(service),
    ...linkOperations(service),
    ...chargeOperations(service),
    ...accountOperations(service),
    ...lookupOperations(service),
    ...fundingOperations(service),
  ];
}
