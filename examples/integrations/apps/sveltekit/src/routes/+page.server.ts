import { createPayment } from '../../orders';

// Runs only on the server, signs the order there, and keeps the secret there.
export async function load() {
  return { payment: await createPayment() };
}
