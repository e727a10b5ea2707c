from cases import JournalCase
from seedtray.journal import Journal, Notebook


class JournalTest(JournalCase):
    def test_harvest_writes_a_line(self):
        self.journal.harvest(203, "plum", 40)
        self.assert_last("201 3 courgette", "203 40 plum")

    async def test_copy_to_another_notebook(self):
        notebook = Notebook()
        copied = await self.journal.copy_to(notebook)
        self.assertEqual(1, copied)
        self.assertEqual(["201 3 courgette"], notebook.last())

    def test_note_in_whatever_lies_on_the_shelf(self):
        shelf = {"garden": Journal(), "kitchen": Notebook()}
        for name in sorted(shelf):
            shelf[name].note(210, "rain at last")
        self.assertEqual(["210 rain at last"], shelf["kitchen"].lines)
