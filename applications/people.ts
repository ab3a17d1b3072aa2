/** The two people of a trial: the backend knows everything about one, the other signs up with an address and nothing else. */
import type { Person } from './product.ts'
import type { Environment } from './service.ts'

const password = 'correct horse battery'

export type SomePerson = Person & { has_account: boolean }

export async function createPeople({ backend }: Environment): Promise<{ ada: SomePerson; grace: SomePerson }> {
  const ada = {
    email: 'ada@example.com',
    password,
    name: 'Ada Lovelace',
    given_name: 'Ada',
    family_name: 'Lovelace',
    preferred_username: 'ada',
    locale: 'en-GB',
    zoneinfo: 'Europe/London',
    phone_number: '+442071838750',
  }
  await backend.createUser({ ...ada, email_verified: true, phone_number_verified: true })
  return {
    ada: { ...ada, has_account: true },
    grace: { email: 'grace@example.com', password, name: null, preferred_username: null, has_account: false },
  }
}
