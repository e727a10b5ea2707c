"""What the older tests share."""

import unittest

from seedtray.journal import Journal


class JournalCase(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.journal = Journal()

    async def asyncSetUp(self):
        self.journal.harvest(201, "courgette", 3)

    def assert_last(self, *expected):
        self.assertEqual(list(expected), self.journal.last(len(expected)))
