import { createPayment } from '../../orders';

// Runs on the server alone: it signs the order, and the secret stays there.
export async function load() {
  return { payment: await createPayment() };
}
