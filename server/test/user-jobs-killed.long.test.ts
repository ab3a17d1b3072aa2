/** Many users; see `user-jobs-killed.test.ts`. */
import { testKilledJobs } from './support/killed-jobs.ts'

await testKilledJobs(10_000)
