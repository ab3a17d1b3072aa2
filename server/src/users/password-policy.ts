// pure
/** Which passwords an environment accepts. NIST SP 800-63B §3.1.1.2: length counts, common ones are refused, nothing else is asked. */
import { longest_normalised, normalised } from '../normalisation.ts'

/** The most used passwords of eight characters or more, lower case, letters and digits as people vary them. */
const common = new Set(
  `password passw0rd password1 password12 password123 password1234 passwordpassword 12345678 123456789 1234567890 12345678910 123456789012 0123456789 0987654321 9876543210
   11111111 111111111 1111111111 111111111111 00000000 000000000000 12341234 123412341234 123123123 123123123123 123321123321 11223344 112233445566 12121212
   qwertyui qwertyuiop qwertyuiop123 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwertyqwerty 1qaz2wsx 1qaz2wsx3edc 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y q1w2e3r4 q1w2e3r4t5y6 qazwsxedc qazwsxedcrfv
   asdfghjkl asdfasdf asdfasdfasdf asdfghjkl123 zxcvbnm123 zxcvbnm123456 iloveyou iloveyou1 iloveyou123 iloveyou1234 iloveyouforever sunshine sunshine1 sunshine123 princess princess1 princess123
   football football1 football123 baseball baseball1 superman superman123 batman123 dragon123 monkey123 shadow123 master123 michael1 jordan23 computer computer1 internet
   welcome1 welcome12 welcome123 welcome1234 welcome12345 letmein1 letmein123 letmein12345 trustno1 abcd1234 abcd12345 abc12345 abc123456 abcdefgh abcdefghij abcdefghijkl a1b2c3d4 a1b2c3d4e5 a1b2c3d4e5f6
   admin123 admin1234 admin12345 administrator administrator1 changeme changeme1 changeme123 changemenow secret123 secret1234 default123 testtest testtesttest test1234 test12345 test123456 testing123 temp1234
   whatever whatever1 starwars starwars1 pokemon123 charlie1 charlie123 jennifer jennifer1 liverpool liverpool1 chelsea123 arsenal123 samsung123 hello123 hello1234 hello12345 hellohello helloworld helloworld1 helloworld123
   correcthorsebatterystaple p@ssw0rd p@ssword p@ssw0rd123 p@ssword123 pa55word pa$$w0rd pa$$word summer2024 summer2025 summer2026 winter2024 winter2025 winter2026 spring2026 autumn2026`.split(
    /\s+/,
  ),
)

export interface PasswordPolicy {
  min_length: number
  reject_common: boolean
}

/** As sent and as stored: see `normalised`. */
export const longest_password = longest_normalised

/** Why this password is not accepted; `null` where it is. Characters are counted as people see them. */
export function passwordProblem(password: string, email: string, policy: PasswordPolicy): 'too_short' | 'too_long' | 'common' | null {
  if (password.length > longest_password) return 'too_long'
  const normal = normalised(password)
  if ([...normal].length < policy.min_length) return 'too_short'
  if (normal.length > longest_password) return 'too_long'
  if (!policy.reject_common) return null
  const plain = normal.toLowerCase()
  const name = email.toLowerCase().split('@')[0] ?? ''
  if (
    common.has(plain) ||
    common.has(plain.replace(/[^a-z0-9]+$/, '')) ||
    isMonotonous(plain) ||
    plain === email.toLowerCase() ||
    (name.length >= 4 && plain.replace(/[0-9\W]+$/, '') === name)
  )
    return 'common'
  return null
}

/** One short piece over and over: `aaaaaaaaaaaa`, `abcabcabcabc`. */
function isMonotonous(plain: string): boolean {
  return /^(.{1,3})\1+.{0,2}$/su.test(plain)
}
