import { bootstrapApplication, type BootstrapContext } from '@angular/platform-browser';
import { serverConfig } from './app/config.server';
import { PaymentPage } from './app/payment';

export default (context: BootstrapContext) =>
  bootstrapApplication(PaymentPage, serverConfig, context);
